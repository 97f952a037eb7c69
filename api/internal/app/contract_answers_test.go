package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// errorCodes are those of the generated table, with their statuses.
var errorCodes = sync.OnceValue(func() map[string]int {
	var table []struct {
		Code   string
		Status int
	}
	codes := map[string]int{}
	if err := json.Unmarshal(sure(os.ReadFile("../../../site/app/features/docs/error-codes.json")), &table); err != nil {
		panic(err)
	}
	for _, entry := range table {
		codes[entry.Code] = entry.Status
	}
	return codes
})

type errorAnswer struct {
	Code, Message, Help string
	RequestID           string `json:"request_id"`
	Details             []struct{ Field, Code, Message string }
}

// brokenError says how an error answer over REST differs from the one form of all errors.
func brokenError(got answer) string {
	var body errorAnswer
	decoder := json.NewDecoder(strings.NewReader(got.body))
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(&body); {
	case err != nil:
		return fmt.Sprintf("answers %s (%v)", got.body, err)
	case errorCodes()[body.Code] != got.status:
		return fmt.Sprintf("answers %d %s, which is not in docs-mdx/errors.md", got.status, body.Code)
	case body.RequestID != "tenant-test", body.Help != "/docs/errors#"+body.Code, body.Message == "", body.Details == nil:
		return "answers " + got.body
	case got.status == http.StatusUnprocessableEntity && len(body.Details) == 0:
		return "names no field: " + got.body
	}
	fieldCodes := []string{"required", "unknown", "too_long", "out_of_range", "not_one_of", "bad_format", "not_found"}
	for _, detail := range body.Details {
		if !slices.Contains(fieldCodes, detail.Code) || detail.Message == "" {
			return "answers " + got.body
		}
	}
	return ""
}

// brokenErrors is what strangers, holders of a wrong key, and bodies that are no object are told.
func brokenErrors(c *campaign, method protoreflect.MethodDescriptor) string {
	verb, path := httpRule(method)
	path = pathVariable.ReplaceAllString(path, "x")
	tries := map[string]answer{}
	if !authzOf(method).GetPublic() {
		tries["no_token"] = c.plainly(verb, path, "", nil)
		tries["wrong_key_kind"] = c.plainly(verb, path, c.b.serviceKey, nil)
		tries["api_key_invalid"] = c.plainly(verb, path, "nbk_cut-off", nil)
	}
	if takesBody(method) {
		tries["invalid_json"] = c.plainly(verb, path, c.b.owner(), []byte(`[1]`))
	}
	for code, got := range tries {
		if how := brokenError(got); how != "" {
			return how
		}
		if !strings.Contains(got.body, `"code":"`+code+`"`) {
			return fmt.Sprintf("answers %s, want the code %s", got.body, code)
		}
	}
	return ""
}

func takesBody(method protoreflect.MethodDescriptor) bool {
	verb, _ := httpRule(method)
	return verb != http.MethodGet && verb != http.MethodDelete
}

// brokenIDs names things that nobody has, one at a time: 404 for the path, 422 and the field for
// the body.
func brokenIDs(c *campaign, method protoreflect.MethodDescriptor) string {
	_, path := httpRule(method)
	for _, v := range variantsOf(method.Input()) {
		if len(v.foreign) != 1 {
			continue
		}
		inPath := strings.Contains(path, "{"+v.foreign[0]+"}")
		if !inPath && !takesBody(method) {
			continue // a filter: that nothing fits is no error
		}
		if v.foreign[0] != "id" && ofIncident[shortName(method)] {
			continue // what is not there is away already
		}
		fill := filling{variant: v, foreign: nobodys, own: c.b.own, values: c.values()}
		got := c.send(c.t.Context(), sending{via: viaREST, method: method, body: fill.request(method), bearer: c.b.owner()})
		if got.status == http.StatusOK && strings.Contains(got.body, `"results":`) {
			continue // each of many has its own result
		}
		if how := brokenError(got); how != "" {
			return how
		}
		noun := v.foreign[0][strings.LastIndexByte(v.foreign[0], '.')+1:]
		switch {
		case inPath && got.status != http.StatusNotFound:
			return fmt.Sprintf("answers %d %s for an %s in the path that nobody has", got.status, got.body, v.foreign[0])
		case !inPath && (!strings.Contains(got.body, `"code":"not_found"`) || !strings.Contains(got.body, noun)):
			return fmt.Sprintf("answers %d %s for %s that nobody has", got.status, got.body, v.foreign[0])
		}
	}
	return ""
}

// brokenCreated creates one and follows Location.
func brokenCreated(c *campaign, method protoreflect.MethodDescriptor) string {
	if !strings.HasPrefix(string(method.Name()), "Create") {
		return ""
	}
	fill := filling{variant: variantsOf(method.Input())[0], foreign: c.b.fresh, own: c.b.fresh, values: c.values()}
	got := c.send(c.t.Context(), sending{via: viaREST, method: method, body: fill.request(method), bearer: c.b.owner()})
	location := got.header.Get("Location")
	switch {
	case got.status != http.StatusCreated:
		return fmt.Sprintf("creates with %d: %s", got.status, got.body)
	case !uuids.MatchString(location):
		return fmt.Sprintf("has the Location %q", location)
	}
	if read := c.get(location, c.b.owner()); read.status != http.StatusOK && brokenRead(c, method) == "" {
		return fmt.Sprintf("has the Location %s, where %d is answered", location, read.status)
	}
	return ""
}

// brokenUnknown sends a name that does not exist, in the body or the address: it is refused, or
// accepted with a warning by the calls of the specification.
func brokenUnknown(c *campaign, method protoreflect.MethodDescriptor) string {
	fill := filling{variant: variantsOf(method.Input())[0], foreign: c.b.own, own: c.b.own, values: c.values()}
	request := sending{via: viaREST, method: method, body: fill.request(method), bearer: c.b.owner()}
	if takesBody(method) {
		request.extra = map[string]any{"colour": "red"}
	}
	sent := request.request(c.t.Context())
	if !takesBody(method) {
		sent.URL.RawQuery += "&colour=red"
	}
	recorder := httptest.NewRecorder()
	c.handler.ServeHTTP(recorder, sent)
	body := recorder.Body.String()
	switch {
	case refusesUnknown(method) && (recorder.Code != http.StatusUnprocessableEntity || !strings.Contains(body, `{"field":"colour","code":"unknown"`)):
		return fmt.Sprintf("answers a field that does not exist with %d %s", recorder.Code, body)
	case !refusesUnknown(method) && strings.Contains(body, `"code":"unknown"`):
		return "refuses what it accepts by its option: " + body
	case !refusesUnknown(method) && recorder.Code < http.StatusMultipleChoices && !strings.Contains(body, `"warnings":[{"field":"colour","message":"does not exist"}]`):
		return "does not warn of a field that does not exist: " + body
	}
	return ""
}

// ignoresIfMatch says how a method changes something although its caller read another version of it.
// The calls of the specification and those before signing in look at no version.
func (c *campaign) ignoresIfMatch(method protoreflect.MethodDescriptor) string {
	if !authzOf(method).GetMutates() || authzOf(method).GetPublic() || !refusesUnknown(method) {
		return ""
	}
	values := c.values()
	c.prepare(c.t, method, values)
	fill := filling{variant: variantsOf(method.Input())[0], foreign: c.b.fresh, own: c.b.fresh, values: values}
	request := sending{via: viaREST, method: method, body: fill.request(method), bearer: c.b.owner()}.request(c.t.Context())
	request.Header.Set("If-Match", `"read-long-ago"`)
	recorder := httptest.NewRecorder()
	c.handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusPreconditionFailed || !strings.Contains(recorder.Body.String(), `"etag_mismatch"`) {
		return fmt.Sprintf("answers an If-Match that matches nothing with %d %s", recorder.Code, recorder.Body.String())
	}
	return ""
}

// brokenRepeat sends every POST of somebody twice with one Idempotency-Key: the second is given the
// answer of the first, and nothing happens again.
func brokenRepeat(c *campaign, method protoreflect.MethodDescriptor) string {
	verb, _ := httpRule(method)
	if verb != http.MethodPost || !authzOf(method).GetMutates() || unfinished[shortName(method)] {
		return ""
	}
	values := c.values()
	c.prepare(c.t, method, values)
	fill := filling{variant: variantsOf(method.Input())[0], foreign: c.b.fresh, own: c.b.fresh, values: values}
	body, key := fill.request(method), uuid.NewString()
	repeat := func() answer {
		request := sending{via: viaREST, method: method, body: body, bearer: c.b.owner()}.request(c.t.Context())
		request.Header.Set("Idempotency-Key", key)
		recorder := httptest.NewRecorder()
		c.handler.ServeHTTP(recorder, request)
		return answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
	}
	first, second := repeat(), repeat()
	switch {
	case first.status >= http.StatusMultipleChoices:
		if second.header.Get("Idempotent-Replayed") != "" || second.body != first.body {
			return "stores a refusal: " + first.body
		}
	case second.header.Get("Idempotent-Replayed") != "true", second.status != first.status, second.body != first.body,
		second.header.Get("Location") != first.header.Get("Location"), second.header.Get("ETag") != first.header.Get("ETag"):
		return fmt.Sprintf("answers %s and its repeat %s", first.whole(), second.whole())
	}
	return ""
}
