package app

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nightbell/nightbell/api/internal/channel/webhook"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

// webhookUnlike says how a body that a subscription was sent differs from the document.
func (d *description) webhookUnlike(eventType string, body []byte) []string {
	webhook := d.model.Webhooks.GetOrZero(eventType)
	if webhook == nil {
		return []string{eventType + " is no webhook of the document"}
	}
	schema := webhook.Post.RequestBody.Content.GetOrZero("application/json").Schema.Schema()
	_, errs := schema_validation.NewSchemaValidator(config.WithFormatAssertions()).ValidateSchemaBytes(schema, body)
	return unlike(eventType, errs)
}

// TestWhatSubscribersAreSentIsAsTheDocumentSays: each type of event, and each message that pages, is a
// webhook of the document, and the recorded bodies have the fields that are listed.
func TestWhatSubscribersAreSentIsAsTheDocumentSays(t *testing.T) {
	t.Parallel()
	d := described(t)
	var bodies []json.RawMessage
	must(t, json.Unmarshal(sure(os.ReadFile("../subscription/testdata/payloads.golden")), &bodies))
	for _, example := range []string{"page.json", "test.json"} {
		bodies = append(bodies, sure(os.ReadFile("../channel/webhook/testdata/"+example)))
	}
	var recorded []string
	for _, body := range bodies {
		var event struct{ Type string }
		must(t, json.Unmarshal(body, &event))
		recorded = append(recorded, event.Type)
		for _, difference := range d.webhookUnlike(event.Type, body) {
			t.Errorf("%s\n%s", difference, body)
		}
	}
	var listed []string
	for eventType := range d.model.Webhooks.KeysFromOldest() {
		listed = append(listed, eventType)
	}
	slices.Sort(recorded)
	sameSet(t, "types of events", append(subscription.Types(), subscription.Test, webhook.Page, webhook.TestPage), "webhooks of the document", listed)
	sameSet(t, "recorded bodies", slices.Compact(recorded), "webhooks of the document", listed)
}

// TestTheDocumentedSignatureIsRight: whoever writes a receiver tries it with the document's example.
func TestTheDocumentedSignatureIsRight(t *testing.T) {
	t.Parallel()
	text := described(t).model.Components.SecuritySchemes.GetOrZero("webhook_signature").Description
	quoted := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1)
	if len(quoted) != 5 {
		t.Fatalf("want a secret, an id, a time, a body and a signature in %q", text)
	}
	secret, messageID, seconds, body, want := quoted[0][1], quoted[1][1], quoted[2][1], quoted[3][1], quoted[4][1]
	key := sure(base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")))
	at := time.Unix(sure(strconv.ParseInt(seconds, 10, 64)), 0)
	if got := webhook.Sign(key, messageID, at, []byte(body)); got != want {
		t.Errorf("Nightbell signs it %s, the document says %s", got, want)
	}
	header := http.Header{"Webhook-Id": {messageID}, "Webhook-Timestamp": {seconds}, "Webhook-Signature": {want}}
	if err := sure(standardwebhooks.NewWebhook(secret)).VerifyIgnoringTimestamp([]byte(body), header); err != nil {
		t.Errorf("the library of Standard Webhooks says %v", err)
	}
}
