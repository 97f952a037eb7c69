package email

import (
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// TestATitleCannotBeAnEncodedWord: mail programs would decode it, after all our checks.
func TestATitleCannotBeAnEncodedWord(t *testing.T) {
	one := incident(1, "critical")
	one.Title, one.ServiceName = "=?utf-8?B?4oCuZXZpbA==?=", "=?utf-8?Q?=E2=80=AE?="
	rendered, err := Render(notify.Message{
		PersonName: "=?utf-8?B?4oCuZXZpbA==?=", OrgName: "Acme", Incidents: []notify.Incident{one},
		To: notify.Contact{Kind: notify.Email, Address: "mara@acme.example"},
	}, sender)
	if err != nil {
		t.Fatal(err)
	}
	var written strings.Builder
	if _, err := compose(rendered).WriteTo(&written); err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(written.String(), "\r\n\r\n")
	if strings.Contains(head, "4oCu?=") || strings.Contains(head, "=?utf-8?B?4oCu") || strings.Contains(head, "=?utf-8?Q?=E2") {
		t.Errorf("the head carries the sender's encoded words:\n%s", head)
	}
}
