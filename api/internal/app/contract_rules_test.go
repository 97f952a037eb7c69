package app

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// contractRules are what the contract says of every method. A new convention is a line here.
func contractRules() []rule {
	return []rule{
		{"names", brokenNames},
		{"verb", brokenVerb},
		{"read by id", brokenRead},
		{"cursor", brokenCursor},
		{"etag", brokenETag},
		{"errors", brokenErrors},
		{"ids", brokenIDs},
		{"created", brokenCreated},
		{"unknown", brokenUnknown},
		{"repeat", brokenRepeat},
		{"scope", brokenScope},
	}
}

// nouns are the words that the contract replaced, with what it says instead.
var nouns = map[string]string{
	"state": "status", "policy_id": "escalation_policy_id", "member_id": "user_id", "member_ids": "user_ids",
	"members": "users", "member": "user", "events": "entries",
}

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// brokenNames looks at every field of the request and the answer, at any depth.
func brokenNames(_ *campaign, method protoreflect.MethodDescriptor) string {
	for _, message := range []protoreflect.MessageDescriptor{method.Input(), method.Output()} {
		for _, field := range allFields(message, map[protoreflect.FullName]bool{}) {
			name := string(field.Name())
			switch {
			case !snakeCase.MatchString(name):
				return "has the field " + string(field.FullName()) + ", which is not snake_case"
			case nouns[name] != "":
				return fmt.Sprintf("has the field %s: the contract says %s", field.FullName(), nouns[name])
			case isTimestamp(field) && !isMoment(name):
				return fmt.Sprintf("has the time %s: times end in _at", field.FullName())
			}
		}
	}
	return ""
}

// isMoment allows the words that bound a list, besides *_at.
func isMoment(name string) bool {
	return strings.HasSuffix(name, "_at") || slices.Contains([]string{"at", "since", "until", "from", "to", "triggered_before"}, name)
}

func isTimestamp(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && field.Message().FullName() == "google.protobuf.Timestamp"
}

// allFields are those of a message and of the messages in it, which may hold themselves.
func allFields(message protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) (all []protoreflect.FieldDescriptor) {
	if seen[message.FullName()] {
		return nil
	}
	seen[message.FullName()] = true
	for field := range fieldsOf(message) {
		all = append(all, field)
		if ours(field) {
			all = append(all, allFields(field.Message(), seen)...)
		}
	}
	return all
}

func httpRule(method protoreflect.MethodDescriptor) (verb, path string) {
	rule, _ := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
	return verbAndPath(rule)
}

// verbsByName says which verb a method of that name has.
var verbsByName = map[string]string{
	"Create": http.MethodPost, "List": http.MethodGet, "Get": http.MethodGet, "Update": http.MethodPatch, "Delete": http.MethodDelete,
}

func brokenVerb(_ *campaign, method protoreflect.MethodDescriptor) string {
	verb, _ := httpRule(method)
	for prefix, want := range verbsByName {
		if strings.HasPrefix(string(method.Name()), prefix) && verb != want {
			return fmt.Sprintf("is a %s; %s is a %s", verb, prefix, want)
		}
	}
	if verb == http.MethodPut {
		return "is a PUT, which the contract does not have"
	}
	return ""
}

// ofIncident take a part of an incident away; what is not there is away already.
var ofIncident = map[string]bool{"IncidentService.UnlinkIncident": true, "IncidentService.UnsubscribeFromIncident": true}

// brokenRead wants a Get for each Create and for whatever can be edited or deleted, and a GET where
// Location leads.
func brokenRead(_ *campaign, method protoreflect.MethodDescriptor) string {
	verb, path := httpRule(method)
	location, _ := proto.GetExtension(method.Options(), nightbellv1.E_Location).(string)
	switch {
	case location != "" && !isServed(location):
		return "sends its caller to " + location + ", which nothing reads"
	case location != "" && !strings.Contains(location, "{") && !authzOf(method).GetPublic():
		return "sends its caller to a list"
	case ofIncident[shortName(method)]: // read with their incident
	case (verb == http.MethodPatch || verb == http.MethodDelete) && strings.Contains(path, "{") && !isServed(path):
		return "changes what no method gives by its id"
	}
	noun, creates := strings.CutPrefix(string(method.Name()), "Create")
	if !creates {
		return ""
	}
	services := method.Parent().(protoreflect.ServiceDescriptor)
	get := services.Methods().ByName(protoreflect.Name("Get" + noun))
	if get == nil {
		return "makes what no method gives by its id"
	}
	return ""
}

var variableInPath = regexp.MustCompile(`\{[^}]*\}`)

// isServed reports whether some method reads what is at a path, whatever its fields are called.
func isServed(path string) bool {
	path = variableInPath.ReplaceAllString(path, "{}")
	return slices.ContainsFunc(methods(), func(one protoreflect.MethodDescriptor) bool {
		verb, read := httpRule(one)
		return verb == http.MethodGet && variableInPath.ReplaceAllString(read, "{}") == path
	})
}

// countedLists are computed for the moment of the call, so that no later call goes on with them. They
// are cut, and must say so and how many rows there are.
var countedLists = []string{
	"OnCallService.ListCoverageProblems", // days, kind and schedule_id narrow it down
}

// brokenCursor wants every list to be readable to its end.
func brokenCursor(_ *campaign, method protoreflect.MethodDescriptor) string {
	if !strings.HasPrefix(string(method.Name()), "List") {
		return ""
	}
	if slices.Contains(countedLists, shortName(method)) {
		for _, name := range []protoreflect.Name{"truncated", "counts"} {
			if method.Output().Fields().ByName(name) == nil {
				return "is a list that is cut without " + string(name)
			}
		}
		return ""
	}
	for _, name := range []protoreflect.Name{"limit", "cursor"} {
		if method.Input().Fields().ByName(name) == nil {
			return "is a list without " + string(name)
		}
	}
	if method.Output().Fields().ByName("next_cursor") == nil {
		return "is a list without next_cursor"
	}
	return ""
}

// brokenETag wants what can be edited to carry the version that an edit is based on.
func brokenETag(c *campaign, method protoreflect.MethodDescriptor) string {
	verb, path := httpRule(method)
	if verb == http.MethodDelete && method.Input().Fields().ByName("etag") == nil && slices.ContainsFunc(methods(), func(one protoreflect.MethodDescriptor) bool {
		editing, edited := httpRule(one)
		return editing == http.MethodPatch && edited == path
	}) {
		return "deletes, without an etag, what has one"
	}
	if how := c.ignoresIfMatch(method); how != "" {
		return how
	}
	if !strings.HasPrefix(string(method.Name()), "Update") {
		return ""
	}
	if method.Input().Fields().ByName("etag") == nil {
		return "edits without an etag"
	}
	for field := range fieldsOf(method.Output()) {
		if ours(field) && field.Message().Fields().ByName("etag") == nil {
			return fmt.Sprintf("answers with a %s without an etag", field.Message().Name())
		}
	}
	return ""
}
