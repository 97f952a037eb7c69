package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
)

// bound is one field at what a rule of the contract still allows, and right beyond it.
type bound struct {
	// path is where the field is in a request: the first item of each list.
	path            []string
	allowed, beyond any
}

func (b bound) String() string { return strings.Join(b.path, ".") }

// TestOnCallBoundsOfTheContractAreTheOnesEnforced reads every bound of the requests that
// make schedules, overrides and policies, and sends each at the bound and beyond it. What
// is allowed must be stored, and the refusal of what is not must name the field.
func TestOnCallBoundsOfTheContractAreTheOnesEnforced(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	crowd := n.crowd(20)
	schedule := at[string](t, n.schedule("Existing", n.weekly("Ada")), "id")
	tried := 0
	for _, c := range []struct {
		message proto.Message
		path    string
		base    func() object
	}{
		{&nightbellv1.CreateScheduleRequest{}, "/v1/schedules", func() object {
			return object{"name": "Fine", "rotations": []object{windowed(n.hourly())}}
		}},
		{&nightbellv1.PreviewScheduleRequest{}, "/v1/schedules/preview", func() object {
			return object{"rotations": []object{windowed(n.hourly())}}
		}},
		{&nightbellv1.CreateOverrideRequest{}, "/v1/schedules/" + schedule + "/overrides", func() object {
			return object{"kind": "vacant", "ends_at": "2026-11-26T00:00:00Z"}
		}},
		{&nightbellv1.CreateEscalationPolicyRequest{}, "/v1/escalation-policies", func() object {
			step := object{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": n.people["Ada"]}}}
			lastResort := object{"kind": "user", "id": n.people["Ada"]}
			return object{
				"name": "Fine", "steps": []object{windowed(step)}, "last_resort": "target", "last_resort_target": lastResort,
				"quiet": []object{windowed(object{"severities": []string{"low"}})},
			}
		}},
	} {
		bounds := boundsOf(c.message.ProtoReflect().Descriptor(), nil)
		for i, b := range bounds {
			body := copyOf(t, c.base())
			if body["name"] != nil {
				body["name"] = fmt.Sprint("Fine ", i) // names are taken only once
			}
			set(body, b.path, n.sample(b, b.allowed, crowd))
			if got := n.plainly(http.MethodPost, c.path, n.owner(), sure(json.Marshal(body))); got.outcome() != http.StatusOK {
				t.Errorf("%s: %s at %v is not allowed: %d %.300s", c.path, b, b.allowed, got.status, got.body)
			}
			body = copyOf(t, c.base())
			set(body, b.path, n.sample(b, b.beyond, crowd))
			status, message, _ := n.refused(n.owner(), http.MethodPost, c.path, body)
			if status != http.StatusUnprocessableEntity || !strings.Contains(plainPath.Replace(message), b.String()) {
				t.Errorf("%s: %s at %v is answered %d %s", c.path, b, b.beyond, status, message)
			}
			tried++
		}
	}
	t.Logf("%d bounds, each allowed and beyond", tried)
	if tried < 60 {
		t.Errorf("only %d bounds were found", tried)
	}
}

func windowed(body object) object {
	body["windows"] = []object{{"days": []string{"monday"}, "from": "08:00", "to": "20:00"}}
	return body
}

// crowd is the ids of new members.
func (n *rota) crowd(size int) (ids []string) {
	for i := range size {
		name := fmt.Sprint("member", i)
		n.join(name, auth.Responder)
		ids = append(ids, n.people[name])
	}
	return ids
}

// plainPath makes "rotations[0].turns[0].user_ids" the path of a bound.
var plainPath = strings.NewReplacer("[0]", "", "[1]", "", "[20]", "")

// boundsOf lists the bounds of the rules in a message and in those in its fields.
func boundsOf(message protoreflect.MessageDescriptor, path []string) (list []bound) {
	fields := message.Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		at := append(slices.Clone(path), string(field.Name()))
		rules, _ := proto.GetExtension(field.Options(), validate.E_Field).(*validate.FieldRules)
		list = append(list, ruleBounds(rules, at)...)
		if field.Message() != nil && field.Message().ParentFile().Package() == "nightbell.v1" {
			list = append(list, boundsOf(field.Message(), at)...)
		}
	}
	return list
}

func ruleBounds(rules *validate.FieldRules, at []string) (list []bound) {
	text, number, repeated := rules.GetString(), rules.GetInt32(), rules.GetRepeated()
	if text.HasMinLen() {
		list = append(list, bound{at, strings.Repeat("x", int(text.GetMinLen())), strings.Repeat("x", int(text.GetMinLen())-1)})
	}
	last := at[len(at)-1]
	if text.HasMaxLen() && last != "timezone" { // no name of a zone is as long
		longest := any(strings.Repeat("ä", int(text.GetMaxLen())))
		if last == "id" || last == "email" { // any text of this length names nobody
			longest = unchanged{}
		}
		list = append(list, bound{at, longest, strings.Repeat("ä", int(text.GetMaxLen())+1)})
	}
	for _, word := range text.GetIn() {
		if last == "kind" || last == "last_resort" { // it decides what else there must be
			list = append(list, bound{at, unchanged{}, word + "s"})
		} else {
			list = append(list, bound{at, word, word + "s"})
		}
	}
	if text.HasPattern() { // all are times of day
		list = append(list, bound{at, "00:00", "-1:00"}, bound{at, "23:59", "24:00"}, bound{at, "20:59", "20:60"})
	}
	if number.HasGte() {
		list = append(list, bound{at, number.GetGte(), number.GetGte() - 1})
	}
	if number.HasLte() {
		list = append(list, bound{at, number.GetLte(), number.GetLte() + 1})
	}
	if repeated.HasMinItems() {
		list = append(list, bound{at, items(repeated.GetMinItems()), items(repeated.GetMinItems() - 1)})
	}
	if repeated.HasMaxItems() {
		list = append(list, bound{at, items(repeated.GetMaxItems()), items(repeated.GetMaxItems() + 1)})
	}
	for _, word := range repeated.GetItems().GetString().GetIn() {
		list = append(list, bound{at, []string{word}, []string{word + "s"}})
	}
	return list
}

// items is that many of what a list holds, and unchanged the value of the base.
type (
	items     uint64
	unchanged struct{}
)

// sample is a value for a field of a request.
func (n *rota) sample(b bound, value any, crowd []string) any {
	count, isList := value.(items)
	if !isList {
		return value
	}
	list := []any{}
	for i := range int(count) {
		switch b.path[len(b.path)-1] {
		case "user_ids":
			list = append(list, crowd[i%len(crowd)])
		case "days":
			list = append(list, dayText(time.Weekday(i%7)))
		case "severities":
			list = append(list, []string{"critical", "high", "medium", "low"}[i%4])
		case "turns":
			list = append(list, n.turn("Ada"))
		case "rotations":
			list = append(list, n.weekly("Ada"))
		case "windows":
			list = append(list, object{"from": "08:00", "to": "20:00"})
		case "targets":
			list = append(list, object{"kind": "user", "id": crowd[i%len(crowd)]})
		case "quiet":
			list = append(list, object{"severities": []string{"low"}})
		case "steps":
			list = append(list, object{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": n.people["Ada"]}}})
		default:
			n.t.Fatalf("there is no sample for %s", b)
		}
	}
	return list
}

// set puts a value where a path leads, through the first item of each list.
func set(body map[string]any, path []string, value any) {
	if len(path) == 1 {
		if _, isUnchanged := value.(unchanged); !isUnchanged {
			body[path[0]] = value
		}
		return
	}
	if inner, isMessage := body[path[0]].(map[string]any); isMessage {
		set(inner, path[1:], value)
		return
	}
	list, _ := body[path[0]].([]any)
	set(list[0].(map[string]any), path[1:], value)
}

func copyOf(t *testing.T, body object) map[string]any {
	t.Helper()
	var copied map[string]any
	if err := json.Unmarshal(sure(json.Marshal(body)), &copied); err != nil {
		t.Fatal(err)
	}
	return maps.Clone(copied)
}

// The bounds that only the comments of the contract tell.
func TestOnCallBoundsInWordsAreTheOnesEnforced(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	schedule := at[string](t, n.schedule("Existing", n.weekly("Ada")), "id")
	rotation := func(changes object) object {
		body := n.weekly("Ada")
		maps.Copy(body, changes)
		return object{"rotations": []object{body}}
	}
	policy := func(changes object) object {
		body := object{"name": "Policy", "steps": []object{{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": n.people["Ada"]}}}}}
		maps.Copy(body, changes)
		return body
	}
	override := func(until string) object { return object{"kind": "vacant", "ends_at": until} }
	for i, c := range []struct {
		path            string
		allowed, beyond object
	}{
		{"/v1/schedules/preview", rotation(object{"unit": "hour", "length": 720}), rotation(object{"unit": "hour", "length": 721})},
		{"/v1/schedules/preview", rotation(object{"unit": "day", "length": 365}), rotation(object{"unit": "day", "length": 366})},
		{"/v1/schedules/preview", rotation(object{"unit": "week", "length": 52}), rotation(object{"unit": "week", "length": 53})},
		{"/v1/schedules/preview", rotation(object{"starts_at": "1970-01-01T00:00:00Z"}), rotation(object{"starts_at": "1969-12-31T23:59:59Z"})},
		{"/v1/schedules/preview", rotation(object{"ends_at": "2200-12-31T23:59:59Z"}), rotation(object{"ends_at": "2201-01-01T00:00:00Z"})},
		{"/v1/schedules/preview", rotation(object{"ends_at": "2026-11-23T07:00:01Z"}), rotation(object{"ends_at": "2026-11-23T07:00:00Z"})},
		{"/v1/schedules/" + schedule + "/overrides", override("2027-11-26T12:00:00Z"), override("2027-11-26T12:00:01Z")},
		{"/v1/schedules/" + schedule + "/overrides", override("2026-11-25T12:00:01Z"), override("2026-11-25T12:00:00Z")},
		{"/v1/escalation-policies", policy(object{"ack_timeout_seconds": 60}), policy(object{"ack_timeout_seconds": 59})},
		{"/v1/escalation-policies", policy(object{"auto_resolve_seconds": 300}), policy(object{"auto_resolve_seconds": 299})},
	} {
		if c.allowed["name"] != nil {
			c.allowed["name"] = fmt.Sprint("Policy ", i)
		}
		n.call(n.owner(), http.MethodPost, c.path, c.allowed)
		if status, message, _ := n.refused(n.owner(), http.MethodPost, c.path, c.beyond); status != http.StatusUnprocessableEntity {
			t.Errorf("%v is answered %d %s", c.beyond, status, message)
		}
	}
}
