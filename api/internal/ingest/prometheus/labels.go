package prometheus

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nightbell/nightbell/api/internal/ingest/wire"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// pair is a label or an annotation.
type pair struct {
	name  string
	value wire.Value
}

// pairs reads labels or annotations. Of more than maxLabels it keeps those that
// matter to paging and then the first by name, and counts the others. The result
// is overwritten by the next call.
func (r *reader) pairs(object wire.Value) (kept []pair, omitted int) {
	kept = r.scratch[:0]
	for name, value := range object.Fields() {
		if len(kept) == 4*maxLabels { // in bites, so that 100,000 labels take no room
			kept = mostImportant(kept, &omitted)
		}
		kept = append(kept, pair{r.name(name), value})
	}
	if len(kept) > maxLabels {
		kept = mostImportant(kept, &omitted)
	}
	r.scratch = kept
	return kept, omitted
}

// name returns the one copy of a name that all alerts of this message share.
func (r *reader) name(sent wire.Name) string {
	if known, ok := r.names[string(sent)]; ok {
		return known
	}
	text := sent.Text(maxNameBytes)
	if len(r.names) < 4*maxLabels && len(sent) <= maxNameBytes {
		r.names[string(sent)] = text
	}
	return text
}

// important are the labels that routing, titles and people need; they stay even if
// a thousand others come before them in the alphabet.
var important = map[string]bool{
	"alertname": true, "severity": true, "priority": true, "level": true, "instance": true,
	"job": true, "service": true, "namespace": true, "cluster": true, "pod": true, "team": true,
	"summary": true, "title": true, "description": true, "message": true, "runbook_url": true,
}

// mostImportant sorts pairs by importance and name, keeps the last of those with
// the same name (as JSON readers do), cuts the list and counts what it cut.
func mostImportant(pairs []pair, omitted *int) []pair {
	slices.SortStableFunc(pairs, func(a, b pair) int {
		if important[a.name] != important[b.name] {
			if important[a.name] {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.name, b.name)
	})
	kept := pairs[:0]
	for i, p := range pairs {
		if i+1 == len(pairs) || pairs[i+1].name != p.name {
			kept = append(kept, p)
		}
	}
	*omitted += max(0, len(kept)-maxLabels)
	return kept[:min(len(kept), maxLabels)]
}

// find gives the last value with this name; none is an empty value.
func find(pairs []pair, name string) wire.Value {
	for _, p := range slices.Backward(pairs) {
		if p.name == name {
			return p.value
		}
	}
	return nil
}

func texts(pairs []pair) map[string]string {
	all := make(map[string]string, len(pairs))
	for _, p := range pairs {
		all[p.name] = p.value.Text(maxValueBytes)
	}
	return all
}

// note tells people that labels or annotations are missing from what they see.
func note(annotations map[string]string, labels, others int) {
	if labels > 0 {
		annotations["nightbell_omitted_labels"] = strconv.Itoa(labels)
	}
	if others > 0 {
		annotations["nightbell_omitted_annotations"] = strconv.Itoa(others)
	}
}

// identity reads a key that a sender chose. One too long to be indexed is
// replaced by its hash, which tells apart what cutting would make equal.
func identity(value wire.Value, limit int) string {
	text := strings.TrimSpace(value.Text(4 * limit))
	if len(text) <= limit {
		return text
	}
	sum := sha256.Sum256(value)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// keyOf makes an identity for an alert that came without a fingerprint: its
// labels, as in Alertmanager, or its title when it has none. Labels that were cut
// or omitted still count, by the text they were sent in.
func keyOf(labels map[string]string, sent wire.Value, omitted int, title string) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		hash.Write([]byte(name + "\x00" + labels[name] + "\x00")) // labels have no NUL
	}
	if len(labels) == 0 {
		hash.Write([]byte(title))
	}
	if omitted > 0 || len(sent) > maxValueBytes {
		hash.Write(sent)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// groupOf is the group of an alert whose sender puts all alerts into one, as Alertmanager does without
// group_by: the alerts of one name. Otherwise whoever acknowledged the first would have answered for all
// that comes.
func (m *message) groupOf(alertname string) (group, title string) {
	group = m.group + " alertname=" + alertname
	if len(group) > maxGroupBytes {
		sum := sha256.Sum256([]byte(group))
		group = "sha256:" + hex.EncodeToString(sum[:])
	}
	return group, wire.Shorten(plaintext.Line(alertname), maxTitle)
}

func isEmpty(object wire.Value) bool {
	for range object.Fields() {
		return false
	}
	return true
}

// groupTitle names a group by the labels it is grouped by: "HighErrorRate
// (cluster=eu, service=checkout)". Without any it is the alerts' common name.
func groupTitle(groupLabels, commonLabels wire.Value) string {
	r := reader{names: map[string]string{}}
	group, _ := r.pairs(groupLabels)
	labels := texts(group)
	name := plaintext.Line(labels["alertname"])
	if name == "" {
		common, _ := r.pairs(commonLabels)
		name = plaintext.Line(find(common, "alertname").Text(maxValueBytes))
	}
	delete(labels, "alertname")
	var rest []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		rest = append(rest, label+"="+labels[label])
	}
	scope := plaintext.Line(strings.Join(rest, ", "))
	switch {
	case name != "" && scope != "":
		return wire.Shorten(name+" ("+scope+")", maxTitle)
	default:
		return wire.Shorten(name+scope, maxTitle)
	}
}
