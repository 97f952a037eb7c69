package email

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// TestAnInvitationHoldsOneLinkWhateverNamesSay: whoever invites chooses the names, and must not be
// able to lead strangers elsewhere with them.
func TestAnInvitationHoldsOneLinkWhateverNamesSay(t *testing.T) {
	to := notify.Contact{ID: uuid.New(), Kind: notify.Email, Address: "stranger@example.org"}
	mail, err := RenderNotice(notify.Invitation{
		ID: uuid.New(), To: to, OrgName: "You won https://evil.example/now " + strings.Repeat("x", 300), InviterName: "call@evil.example", Role: "viewer",
		URL: "https://nightbell.example/invitation#nbi_abc",
	}, sender)
	if err != nil {
		t.Fatal(err)
	}
	whole := mail.Subject + mail.To.String() + mail.Text + mail.HTML
	for _, bait := range []string{"evil.example", "call@", "https://evil", strings.Repeat("x", 60)} {
		if strings.Contains(whole, bait) {
			t.Errorf("the mail carries %q:\n%s", bait, mail.Text)
		}
	}
	if strings.Count(mail.HTML, "<a ") != 1 || strings.Count(mail.Text, "://") != 1 || !strings.Contains(mail.HTML, "invitation#nbi_abc") {
		t.Errorf("the mail should hold one link:\n%s", mail.HTML)
	}
}
