package rpcserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"connectrpc.com/connect"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// kinds reads the constants of the vocabulary, so that a new one cannot lack an outcome.
func kinds(t *testing.T) (list []fault.Kind) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../kernel/fault/fault.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); !ok || of.Name != "Kind" {
			return true
		}
		for _, value := range spec.Values {
			text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fault.Kind(text))
		}
		return true
	})
	return list
}

func TestEveryKindHasAnOutcome(t *testing.T) {
	want := map[fault.Kind]outcome{
		"invalid":         {connect.CodeInvalidArgument, 400},
		"unauthenticated": {connect.CodeUnauthenticated, 401},
		"denied":          {connect.CodePermissionDenied, 403},
		"not_found":       {connect.CodeNotFound, 404},
		"wrong_verb":      {connect.CodeUnimplemented, 405},
		"unsupported":     {connect.CodeInvalidArgument, 415},
		"conflict":        {connect.CodeFailedPrecondition, 409},
		"stale":           {connect.CodeAborted, 412},
		"too_large":       {connect.CodeInvalidArgument, 413},
		"unprocessable":   {connect.CodeInvalidArgument, 422},
		"limited":         {connect.CodeResourceExhausted, 429},
		"internal":        {connect.CodeInternal, 500},
		"unavailable":     {connect.CodeUnavailable, 503},
	}
	known := kinds(t)
	if len(known) != len(want) || len(outcomes) != len(want) {
		t.Errorf("%d kinds, %d outcomes, %d expected: %v", len(known), len(outcomes), len(want), known)
	}
	for _, kind := range known {
		t.Run(string(kind), func(t *testing.T) {
			refused := fault.New(kind, "a_word", "AI not configured").After(3)
			refused.Fields = []fault.Field{{Path: "title", Code: fault.Required, Message: "is required"}}
			w := httptest.NewRecorder()
			w.Header().Set(requestIDHeader, "r1")
			WriteError(w, quietRequest(t), fmt.Errorf("wrapped: %w", refused))
			var body errorBody
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			if w.Code != want[kind].status || body.Code != "a_word" || body.Message != "AI not configured" ||
				body.Help != "/docs/errors#a_word" || body.RequestID != "r1" || len(body.Details) != 1 || body.Details[0] != (detail{"title", fault.Required, "is required"}) || w.Header().Get("Retry-After") != "3" {
				t.Errorf("REST: %d %s", w.Code, w.Body)
			}
			over := connectError(t.Context(), refused, nil)
			if over.Code() != want[kind].code || over.Message() != "AI not configured" || over.Meta().Get("Retry-After") != "3" || len(over.Details()) != 4 {
				t.Errorf("Connect: %v with %d details", over, len(over.Details()))
			}
		})
	}
}

func quietRequest(t *testing.T) *http.Request {
	t.Helper()
	ctx := context.WithValue(t.Context(), requestKey{}, &request{logger: quiet()})
	return httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
}

func TestErrorsWithoutAFault(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
	}{
		"anything":      {errors.New("secret"), 500},
		"unimplemented": {connect.NewError(connect.CodeUnimplemented, errors.New("secret")), 404},
		"deadline":      {fmt.Errorf("secret: %w", context.DeadlineExceeded), 503},
		"unknown kind":  {fault.New("brand_new", "x", "Sentence."), 500},
	} {
		w := httptest.NewRecorder()
		WriteError(w, quietRequest(t), c.err)
		var body errorBody
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != c.status || body.Details == nil || body.Message == "secret" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}
