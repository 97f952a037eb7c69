package rpcserver

import (
	"net/http"
	"strings"
	"testing"
)

// TestFieldsOfAWrongTypeNameThemselves: each with its path, its code and what it must be, whatever
// the transport, and nothing of what was sent.
func TestFieldsOfAWrongTypeNameThemselves(t *testing.T) {
	handler, impl := serveSchedules(t)
	const rotation = `"name":"Weeks","unit":"week","handover":"08:00","turns":[{"user_ids":[]}]`
	for body, want := range map[string]string{
		`{"name":7}`:         `"field":"name","code":"bad_format","message":"must be a string"`,
		`{"rotations":"x"}`:  `"field":"rotations","code":"bad_format","message":"must be a list"`,
		`{"rotations":[[]]}`: `"field":"rotations[0]","code":"bad_format","message":"must be an object"`,
		`{"name":"A","rotations":[{` + rotation + `,"length":"secret"}]}`:  `"field":"rotations[0].length","code":"bad_format","message":"must be a whole number that fits"`,
		`{"name":"A","rotations":[{` + rotation + `,"starts_at":"soon"}]}`: `"field":"rotations[0].starts_at","code":"bad_format","message":"must be a time such as`,
		`{"name":"A","rotations":[{"turns":[{"user_ids":[7]}]}]}`:          `"field":"rotations[0].turns[0].user_ids[0]","code":"bad_format"`,
	} {
		got := rest(handler, http.MethodPost, "/v1/schedules", body, "Content-Type", "application/json")
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, want) || strings.Contains(got.body, "secret") {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	if impl.created != nil {
		t.Errorf("%v was created", impl.created)
	}
}

// TestNobodyReadsARegularExpression: a pattern is told in words.
func TestNobodyReadsARegularExpression(t *testing.T) {
	handler, _ := serveSchedules(t)
	body := `{"name":"A","rotations":[{"name":"Weeks","unit":"week","length":1,"handover":"8 o'clock","turns":[{"user_ids":[]}]}]}`
	got := rest(handler, http.MethodPost, "/v1/schedules", body, "Content-Type", "application/json")
	if !strings.Contains(got.body, "rotations[0].handover must be a time of day from 00:00 to 23:59") || strings.Contains(got.body, "regex") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
