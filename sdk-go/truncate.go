package nightbell

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxTitle       = 500
	maxDescription = 20_000
	maxName        = 200 // source, release, operation, type of an exception
	maxEnvironment = 64
	maxMessage     = 4_000 // of an exception, and a string inside metadata
	maxCrumb       = 500
	maxTags        = 64
	maxTagKey      = 64
	maxTagValue    = 256
	maxDedupKey    = 512 // bytes
	maxFrames      = 50
	maxBreadcrumbs = 50
	maxLinks       = 10
	maxHref        = 2_000
	maxMetadata    = 16 << 10 // bytes of JSON
	maxEvent       = 64 << 10 // bytes of JSON

	truncatedKey = "_truncated"
)

// limiter cuts an event to what a server takes and remembers which fields lost something.
type limiter struct{ fields []string }

func (l *limiter) note(field string) {
	if !slices.Contains(l.fields, field) {
		l.fields = append(l.fields, field)
	}
}

// limit cuts what is too long in place: an alert is worth more than its ending.
// It returns the body that is sent.
func limit(e *Event) ([]byte, error) {
	l := &limiter{}
	l.texts(e)
	l.details(e)
	l.mark(e)
	body, err := encode(e)
	for _, step := range shrinkSteps {
		if err != nil || len(body) <= maxEvent {
			break
		}
		if step.apply(e) {
			l.note(step.field)
			l.mark(e)
			body, err = encode(e)
		}
	}
	return body, err
}

// mark lists in metadata what was cut, where a person sees it.
func (l *limiter) mark(e *Event) {
	if len(l.fields) == 0 {
		return
	}
	slices.Sort(l.fields)
	if e.Metadata == nil {
		e.Metadata = map[string]any{}
	}
	e.Metadata[truncatedKey] = l.fields
}

func (l *limiter) texts(e *Event) {
	e.Title = l.text("title", e.Title, maxTitle)
	e.Description = l.text("description", e.Description, maxDescription)
	e.Operation = l.text("operation", e.Operation, maxName)
	e.Source = l.text("source", e.Source, maxName)
	e.Release = l.text("release", e.Release, maxName)
	e.Environment = l.text("environment", e.Environment, maxEnvironment)
	e.DedupKey = clean(e.DedupKey)
	if len(e.DedupKey) > maxDedupKey { // two long keys may begin alike
		sum := sha256.Sum256([]byte(e.DedupKey))
		e.DedupKey = hex.EncodeToString(sum[:])
		l.note("dedup_key")
	}
	if e.User != nil {
		e.User = &User{ID: l.text("user", e.User.ID, maxName)}
	}
}

func (l *limiter) details(e *Event) {
	if len(e.Tags) > 0 {
		e.Tags = l.tags(e.Tags)
	}
	if e.Metadata != nil {
		e.Metadata = l.metadata(e.Metadata)
	}
	e.Links = l.links(e.Links)
	if e.Error != nil {
		l.exceptions(e.Error)
	}
}

// text cuts to a number of characters, of which the ellipsis is one.
func (l *limiter) text(field, s string, most int) string {
	s = clean(s)
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	l.note(field)
	end := 0
	for range most - 1 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end] + "…"
}

// clean makes text that JSON and PostgreSQL can keep.
func clean(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func (l *limiter) tags(tags map[string]string) map[string]string {
	kept := make(map[string]string, min(len(tags), maxTags))
	for _, key := range sortedKeys(tags) {
		if len(kept) == maxTags {
			l.note("tags")
			break
		}
		kept[l.text("tags", key, maxTagKey)] = l.text("tags", tags[key], maxTagValue)
	}
	return kept
}

func (l *limiter) links(links []Link) []Link {
	var kept []Link
	for _, link := range links {
		if len(kept) == maxLinks || utf8.RuneCountInString(link.Href) > maxHref {
			l.note("links")
			continue
		}
		kept = append(kept, Link{Href: clean(link.Href), Text: l.text("links", link.Text, maxName)})
	}
	return kept
}

// metadata keeps the keys that fit, by name.
func (l *limiter) metadata(metadata map[string]any) map[string]any {
	limited, _ := l.value(metadata, maxDepth).(map[string]any)
	kept := make(map[string]any, len(limited))
	size := 2
	for _, key := range sortedKeys(limited) {
		entry, err := encode(map[string]any{key: limited[key]})
		if err != nil || size+len(entry)-1 > maxMetadata {
			l.note("metadata")
			continue
		}
		size += len(entry) - 1
		kept[key] = limited[key]
	}
	return kept
}

func (l *limiter) value(v any, depth int) any {
	switch v := v.(type) {
	case string:
		return l.text("metadata", v, maxMessage)
	case map[string]any:
		if depth == 0 {
			l.note("metadata")
			return tooDeep
		}
		kept := make(map[string]any, min(len(v), maxEntries))
		for _, key := range sortedKeys(v) {
			if len(kept) == maxEntries {
				l.note("metadata")
				break
			}
			kept[clean(key)] = l.value(v[key], depth-1)
		}
		return kept
	case []any:
		if depth == 0 {
			l.note("metadata")
			return tooDeep
		}
		if len(v) > maxEntries {
			l.note("metadata")
			v = v[:maxEntries]
		}
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = l.value(v[i], depth-1)
		}
		return kept
	default:
		return v
	}
}

func (l *limiter) exceptions(details *ErrorDetails) {
	if len(details.Exceptions) > maxExceptions {
		details.Exceptions = details.Exceptions[:maxExceptions]
		l.note("error")
	}
	for i := range details.Exceptions {
		e := &details.Exceptions[i]
		e.Type, e.Message = l.text("error", e.Type, maxName), l.text("error", e.Message, maxMessage)
		if n := len(e.Frames); n > maxFrames {
			e.Frames = slices.Concat(e.Frames[:maxFrames/2], e.Frames[n-maxFrames/2:])
			l.note("error")
		}
	}
	if n := len(details.Breadcrumbs); n > maxBreadcrumbs {
		details.Breadcrumbs = details.Breadcrumbs[n-maxBreadcrumbs:]
		l.note("error")
	}
	for i := range details.Breadcrumbs {
		b := &details.Breadcrumbs[i]
		b.Message = l.text("error", b.Message, maxCrumb)
		if b.Data != nil {
			b.Data = l.metadata(b.Data)
		}
	}
}
