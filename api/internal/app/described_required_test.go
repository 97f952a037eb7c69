package app

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pb33f/libopenapi-validator/paths"
	"github.com/pb33f/libopenapi/datamodel/high/base"
)

// lacking gives the value without each of the fields that the schema requires, one at a time, by the
// path of the field.
func lacking(schema *base.Schema, value any, path string) map[string]any {
	found := map[string]any{}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range schema.Required {
			if _, there := value[name]; there {
				less := maps.Clone(value)
				delete(less, name)
				found[path+name] = less
			}
		}
		for name, inner := range value {
			if schema.Properties == nil || schema.Properties.GetOrZero(name) == nil {
				continue
			}
			for deep, less := range lacking(schema.Properties.GetOrZero(name).Schema(), inner, path+name+".") {
				changed := maps.Clone(value)
				changed[name] = less
				found[deep] = changed
			}
		}
	case []any:
		if len(value) == 0 || schema.Items == nil || !schema.Items.IsA() {
			return found
		}
		for deep, less := range lacking(schema.Items.A.Schema(), value[0], path) {
			found[deep] = append([]any{less}, value[1:]...)
		}
	}
	return found
}

// withoutRequired gives the request once without each required field of its body, by the operation
// and the field.
func (d *description) withoutRequired(request *http.Request) map[string]*http.Request {
	item, _, _ := paths.FindPath(request, d.model, nil)
	if item == nil {
		return nil
	}
	operation := item.GetOperations().GetOrZero(strings.ToLower(request.Method))
	body := sure(io.ReadAll(request.Body))
	request.Body = io.NopCloser(bytes.NewReader(body))
	if operation.RequestBody == nil || operation.RequestBody.Content.GetOrZero("application/json") == nil {
		return nil
	}
	var value any
	if json.Unmarshal(body, &value) != nil {
		return nil
	}
	requests := map[string]*http.Request{}
	for field, less := range lacking(operation.RequestBody.Content.GetOrZero("application/json").Schema.Schema(), value, "") {
		again := newRequest(request.Context(), request.Method, request.URL.String(), sure(json.Marshal(less)))
		again.Header = request.Header.Clone()
		requests[operation.OperationId+" "+field] = again
	}
	return requests
}

// TestWhatTheDocumentRequiresIsRequired sends every request without each of the fields that the
// document says it must have: it is refused, and the field is named.
func TestWhatTheDocumentRequiresIsRequired(t *testing.T) {
	t.Parallel()
	r, d := newTestServer(t), described(t)
	c := &campaign{rig: r, a: r.newTenant("acme"), b: r.newTenant("umbrella"), made: time.Now()}
	var whole []*http.Request
	for _, method := range methods() {
		fill := filling{variant: variantsOf(method.Input())[0], foreign: nobodys, own: nobodys, values: c.values()}
		c.prepare(t, method, fill.values)
		whole = append(whole, sending{via: viaREST, method: method, body: fill.request(method), bearer: c.b.owner(), extra: object{}}.request(t.Context()))
	}
	whole = append(whole, plainRequests(t, c)...)
	tried := map[string]bool{}
	for _, request := range whole {
		for what, lacks := range d.withoutRequired(request) {
			if tried[what] {
				continue
			}
			tried[what] = true
			got, _ := d.serve(c.handler, lacks, false)
			_, field, _ := strings.Cut(what, " ")
			name := field[strings.LastIndex(field, ".")+1:]
			if got.status != http.StatusUnprocessableEntity && got.status != http.StatusBadRequest || !strings.Contains(got.body, name) {
				t.Errorf("%s is left out: %s", what, got.whole())
			}
		}
	}
	t.Logf("tried without each of: %s", strings.Join(slices.Sorted(maps.Keys(tried)), ", "))
	if len(tried) < 40 {
		t.Errorf("%d required fields were tried", len(tried))
	}
}
