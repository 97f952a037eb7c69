package email

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// TestMailToUnverifiedAddressesHoldsNoForeignText: whoever registers chooses every name, and
// must not be able to write to strangers with them.
func TestMailToUnverifiedAddressesHoldsNoForeignText(t *testing.T) {
	const bait = "You won, go to evil.example"
	to := notify.Contact{ID: uuid.New(), Kind: notify.Email, Name: bait, Address: "stranger@example.org"}
	asked, err := RenderNotice(notify.Verification{ID: uuid.New(), To: to, URL: "https://nightbell.example/verify/abc"}, sender)
	if err != nil {
		t.Fatal(err)
	}
	one := incident(1, "critical")
	one.Title, one.Description, one.ServiceName, one.Reason = bait, bait, bait, bait
	paged, err := Render(notify.Message{
		ID: uuid.New(), OrgName: bait, PersonName: bait, To: to, Incidents: []notify.Incident{one},
		SignInURL: "https://nightbell.example/incidents", AckURL: "https://nightbell.example/ack/abc",
	}, sender)
	if err != nil {
		t.Fatal(err)
	}
	for what, mail := range map[string]Mail{"verification": asked, "last resort": paged} {
		whole := mail.Subject + mail.To.String() + mail.Text + mail.HTML + mail.From.String()
		if strings.Contains(whole, "evil") {
			t.Errorf("the %s carries foreign text:\n%s", what, whole)
		}
		if strings.Count(mail.HTML, "<a ") != 1 || !strings.Contains(mail.Text, "https://nightbell.example/") {
			t.Errorf("the %s should hold one link:\n%s", what, whole)
		}
	}
}
