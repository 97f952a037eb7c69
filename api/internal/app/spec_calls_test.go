package app

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

const specTranscript = "testdata/spec_calls.golden"

// rewriteSpec is text and not a switch: -update for all golden files never reaches this one, and
// whoever changes what the specification's client meets says why.
var rewriteSpec = flag.String("rewrite-spec-transcript", "",
	"why the client of the specification may be answered otherwise than before; rewrites "+specTranscript)

const leastReason = 20

// TestSpecCallsAnswerAsRecorded replays the 19 calls of the specification (section 7) as its
// client sends them, over a socket, and compares what that client reads: whether it succeeded, the
// fields it uses, and the sentence of a failure. Other fields, codes, and 201 for 200 are free.
func TestSpecCallsAnswerAsRecorded(t *testing.T) {
	t.Parallel()
	client := newSpecClient(t)
	want := sure(os.ReadFile(specTranscript))
	head, recorded, _ := strings.Cut(string(want), "\n\n") // the reasons, and the calls
	client.recorded = strings.SplitAfter(recorded, "\n\n")
	for _, step := range signingUp() {
		client.observe(step)
	}
	client.issueOthers()
	for _, step := range signedIn() {
		client.observe(step)
	}
	client.checkComplete()
	if *rewriteSpec == "" {
		if left := strings.TrimSpace(strings.Join(client.recorded, "")); left != "" {
			t.Errorf("%s has calls that nobody makes any more:\n%s", specTranscript, left)
		}
		return
	}
	if len(*rewriteSpec) < leastReason {
		t.Fatalf("-rewrite-spec-transcript wants a sentence that says why, not %q", *rewriteSpec)
	}
	must(t, os.WriteFile(specTranscript, []byte(head+"\n# "+*rewriteSpec+"\n\n"+client.transcript.String()), 0o644))
}

// specCall is one request and what the client reads of its answer.
type specCall struct {
	// what says which case of the call it is.
	what, verb, path string
	// as is whose token is sent; empty for none. A word that is no role is sent as it stands.
	as, body string
	// reads are the fields that the client uses of a success; of a failure it is the message.
	reads []string
	// keeps stores a field of the answer under a name that {name} stands for from then on.
	keeps map[string]string
}

type specClient struct {
	*rig

	recorded []string // what is left of the transcript, a call each

	base       string
	known      map[string]string // what {name} stands for, tokens among it
	called     []string
	transcript strings.Builder
}

func newSpecClient(t *testing.T) *specClient {
	r := newTestServer(t)
	front := httptest.NewServer(r.handler)
	t.Cleanup(front.Close)
	return &specClient{rig: r, base: front.URL, known: map[string]string{
		"slack_webhook": r.slack.webhook(), "nobody": uuid.NewString(), "no_key": "nb_svc_unknown", "no_id": "abc",
	}}
}

// observe makes a call as a test of its own, and compares it with the one that was recorded in its place.
func (c *specClient) observe(step specCall) {
	outer, before := c.t, c.transcript.Len()
	outer.Run(step.verb+" "+step.path+" "+step.what, func(t *testing.T) {
		c.t = t
		defer func() { c.t = outer }()
		c.replay(step)
		var old string
		if len(c.recorded) > 0 {
			old, c.recorded = c.recorded[0], c.recorded[1:]
		}
		if got := c.transcript.String()[before:]; *rewriteSpec == "" && strings.TrimSpace(got) != strings.TrimSpace(old) {
			t.Errorf("the client is answered\n%s\nand %s says\n%s", got, specTranscript, old)
		}
	})
}

func (c *specClient) replay(step specCall) {
	c.t.Helper()
	request := sure(http.NewRequestWithContext(c.t.Context(), step.verb, c.base+c.fill(step.path), strings.NewReader(c.fill(step.body))))
	if step.body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if step.as != "" {
		request.Header.Set("Authorization", "Bearer "+c.fill(step.as))
	}
	response, err := http.DefaultClient.Do(request)
	must(c.t, err)
	defer func() { _ = response.Body.Close() }()
	text := sure(io.ReadAll(response.Body))
	answer := object{}
	if err := json.Unmarshal(text, &answer); err != nil {
		c.t.Fatalf("%s %s (%s): %d, not a JSON object: %s", step.verb, step.path, step.what, response.StatusCode, text)
	}
	c.note(step, response.StatusCode, answer)
	for name, field := range step.keeps {
		c.known[name] = fmt.Sprint(sure(dig(answer, field)))
	}
	path, _, _ := strings.Cut(strings.NewReplacer("{nobody}", "{incident}", "{no_id}", "{incident}", "{no_key}", "{service_key}").Replace(step.path), "?")
	c.called = append(c.called, step.verb+" "+path)
}

// issueOthers makes the tokens that the client can hold and cannot get by a call: one that has
// expired, and a viewer's.
func (c *specClient) issueOthers() {
	c.t.Helper()
	n := &tenant{
		rig: c.rig, name: "spec", orgID: uuid.MustParse(c.known["org_id"]),
		bearers: map[string]string{"owner": c.known["owner"]}, people: map[string]string{"owner": c.known["owner_id"]},
	}
	c.known["expired"] = n.expiredToken()
	n.join("viewer", auth.Viewer)
	c.known["viewer"] = n.bearers["viewer"]
}

func (c *specClient) fill(text string) string {
	for name, value := range c.known {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}

func (c *specClient) note(step specCall, status int, answer object) {
	fmt.Fprintf(&c.transcript, "%s %s  # %s\n", step.verb, step.path, step.what)
	if step.as != "" {
		fmt.Fprintf(&c.transcript, "> Authorization: Bearer %s\n", step.as)
	}
	if step.body != "" {
		fmt.Fprintf(&c.transcript, "> %s\n", step.body)
	}
	reads := step.reads
	if status >= http.StatusBadRequest {
		reads = []string{"message"}
	} else {
		status = http.StatusOK // 201 and 202 are the same to it
	}
	fmt.Fprintf(&c.transcript, "< %d\n", status)
	for _, field := range reads {
		fmt.Fprintf(&c.transcript, "<   %s = %s\n", field, c.show(answer, field))
	}
	c.transcript.WriteByte('\n')
}

// show writes a value as the client sees it: null, nothing and "" are the same to it, and ids,
// times, tokens and ports differ by run.
func (c *specClient) show(answer object, field string) string {
	value, err := dig(answer, field)
	text, isText := value.(string)
	switch {
	case err != nil, value == nil, isText && text == "":
		return "(nothing)"
	case strings.HasSuffix(field, "_token") && strings.Count(text, ".") == 2, strings.HasSuffix(field, "refresh_token"), strings.HasSuffix(field, "service_key"):
		return "(secret)"
	case isText && isTime(text):
		return "(time)"
	case isText:
		text = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(uuids.ReplaceAllString(text, "(id)"), "(slack)")
		return strconv.Quote(text)
	}
	return string(sure(json.Marshal(value)))
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func isTime(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// dig reads "incidents.0.title"; "incidents.length" is how many there are.
func dig(answer any, field string) (any, error) {
	for name := range strings.SplitSeq(field, ".") {
		switch value := answer.(type) {
		case object:
			answer = value[name]
		case []any:
			if name == "length" {
				return len(value), nil
			}
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(value) {
				return nil, fmt.Errorf("no %s in a list of %d", name, len(value))
			}
			answer = value[i]
		default:
			return nil, fmt.Errorf("no %s of %s", name, field)
		}
	}
	return answer, nil
}

// checkComplete wants every call of the specification, with and without a token.
func (c *specClient) checkComplete() {
	c.t.Helper()
	want := strings.Split(strings.TrimSpace(specTable), "\n")
	for _, call := range want {
		call = strings.TrimSpace(call)
		if n := strings.Count("\n"+strings.Join(c.called, "\n")+"\n", "\n"+call+"\n"); n < 2 {
			c.t.Errorf("%s is replayed %d times; at least once as it succeeds and once as it fails", call, n)
		}
	}
	if len(want) != 19 || pgtest.One[int](c.t, c.database, "SELECT count(*) FROM incident") == 0 {
		c.t.Errorf("%d calls, want the 19 of the specification", len(want))
	}
	slices.Sort(c.called)
	for _, call := range slices.Compact(c.called) {
		if !strings.Contains(specTable, call+"\n") {
			c.t.Errorf("%s is none of the calls of the specification", call)
		}
	}
}

const specTable = `
POST /v1/auth/register
POST /v1/auth/login
GET /v1/incidents
GET /v1/incidents/{incident}
POST /v1/incidents
POST /v1/incidents/{incident}/acknowledge
POST /v1/incidents/{incident}/resolve
POST /v1/integrations/slack/configure
GET /v1/integrations/slack/config
POST /v1/integrations/slack/test
DELETE /v1/integrations/slack/disconnect
POST /v1/services
GET /v1/services
POST /v1/webhooks/prometheus/{service_key}
POST /v1/ai/incidents/{incident}/summary
GET /v1/ai/incidents/{incident}/summary
POST /v1/ai/incidents/{incident}/refresh
GET /v1/ai/incidents/{incident}/context
POST /v1/ai/incidents/{incident}/context
`
