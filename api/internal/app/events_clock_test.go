package app

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestAClockThatIsBehindSilencesNothing: two hosts report one problem, and the clock of the second is ten minutes
// behind. What happens there after the problem was resolved seems older than its end.
func TestAClockThatIsBehindSilencesNothing(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	behind := func(minutes int) string {
		return time.Now().Add(-time.Duration(minutes) * time.Minute).UTC().Format(time.RFC3339Nano)
	}
	tenBehind := behind(10) // what is sent as it happens says one time twice
	for _, test := range []struct {
		name, occurred, sent, want string
	}{
		{"by a clock that is right", behind(10), behind(0), "ignored"},
		{"by a sender that does not say its time", behind(10), "", "ignored"},
		{"by a clock that is behind", tenBehind, tenBehind, "created"},
		{"by a clock that has never been set", "1970-01-01T00:00:30Z", "1970-01-01T00:00:30Z", "created"},
		{"ten minutes before it was sent, by a clock that is behind", behind(20), behind(10), "ignored"},
		{"ten minutes before it was sent, by a clock that is ahead", behind(-20), behind(-30), "ignored"},
		{"by a header that is no time", behind(10), "yesterday", "ignored"},
	} {
		for path, body := range map[string]func(event object) object{
			"/v1/events":       func(event object) object { return event },
			"/v1/events/batch": func(event object) object { return object{"events": []object{event}} },
		} {
			key := test.name + path
			n.sendEvent(object{"action": "trigger", "title": "Down", "dedup_key": key})
			n.sendEvent(object{"action": "resolve", "dedup_key": key})
			event := object{"id": uuid.NewString(), "title": "Down", "dedup_key": key, "occurred_at": test.occurred}
			got := n.sendTo(path, sure(json.Marshal(body(event))), "Authorization", "Bearer "+n.serviceKey, "Nightbell-Sent-At", test.sent)
			if !strings.Contains(got.body, `"status":"`+test.want+`"`) {
				t.Errorf("what happened %s, sent to %s: %s", test.name, path, got.body)
			}
			if warned := strings.Contains(got.body, "Nightbell-Sent-At must be a time"); warned != (test.sent == "yesterday") {
				t.Errorf("of the header %q, sent to %s, it says %s", test.sent, path, got.body)
			}
		}
	}
}
