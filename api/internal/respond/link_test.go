package respond_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/ackpage"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// hold keeps an incident locked until the test calls release.
func hold(t *testing.T, w *pagingtest.Workspace, incidentID uuid.UUID) (release func()) {
	t.Helper()
	locked, released, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- w.InSystem(context.WithoutCancel(t.Context()), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `SELECT FROM incident WHERE id = $1 FOR UPDATE`, incidentID)
			close(locked)
			<-released
			return err
		})
	}()
	<-locked
	return func() {
		t.Helper()
		close(released)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// mail is the page behind the link of Ada's mail, which tells of everything that is open.
type mail struct {
	page   http.Handler
	claims notify.AckClaims
	token  string
}

func mailed(t *testing.T, w *pagingtest.Workspace) mail {
	t.Helper()
	deliveryID, key := id.New(), []byte(strings.Repeat("k", 32))
	w.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, user_id, channel, outcome, incident_count, notification_ids, started_at)
		SELECT org_id, $1, contact_method_id, user_id, channel, 'accepted', count(*), array_agg(id), nightbell_now()
		FROM notification GROUP BY org_id, contact_method_id, user_id, channel`, deliveryID)
	claims := notify.AckClaims{OrgID: w.Org, UserID: w.Ada, DeliveryID: deliveryID, Expires: time.Now().Add(time.Hour)}
	return mail{
		page:   ackpage.New(ackpage.Options{Logger: slog.New(slog.DiscardHandler), Acknowledger: w.Responder, Key: key, PublicURL: "https://nightbell.example"}),
		claims: claims,
		token:  notify.MintAck(key, claims),
	}
}

// open shows the page, and gives its form.
func (m mail) open() (form url.Values) {
	answer := httptest.NewRecorder()
	m.page.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "https://nightbell.example/ack/"+m.token, nil))
	form = url.Values{}
	for _, field := range regexp.MustCompile(`name="seen" value="([^"]*)"`).FindAllStringSubmatch(answer.Body.String(), -1) {
		form.Add("seen", field[1])
	}
	return form
}

// post presses the button.
func (m mail) post(form url.Values) (status int, said string) {
	request := httptest.NewRequest(http.MethodPost, "https://nightbell.example/ack/"+m.token, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	answer := httptest.NewRecorder()
	m.page.ServeHTTP(answer, request)
	body, _ := io.ReadAll(answer.Body)
	return answer.Code, string(body)
}

// TestALinkAnswersWhatItsPageAskedFor: Ada opens the page while Bob has one of the two, and presses the button
// after he gave it back. Whom his escalation pages then is paged. A button without a form answers everything.
func TestALinkAnswersWhatItsPageAskedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form func(shown url.Values) url.Values
		want []string
	}{
		"its form":           {func(shown url.Values) url.Values { return shown }, []string{"1 triggered by nobody, paging active", "2 acknowledged by Ada, paging stopped"}},
		"no form":            {func(url.Values) url.Values { return nil }, []string{"1 acknowledged by Ada, paging stopped", "2 acknowledged by Ada, paging stopped"}},
		"nothing to be read": {func(url.Values) url.Values { return url.Values{"seen": {"x high"}} }, []string{"1 acknowledged by Ada, paging stopped", "2 acknowledged by Ada, paging stopped"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := pagingtest.New(t)
			bobs := open(t, w, 2)[:1]
			mail := mailed(t, w)
			say := func(command incident.Command) {
				t.Helper()
				if err := w.Responder.Respond(t.Context(), w.Org, bobs, command); err != nil {
					t.Fatal(err)
				}
			}
			say(incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
			shown := mail.open()
			if len(shown["seen"]) != 1 {
				t.Fatalf("the page asks for %v", shown)
			}
			say(incident.Escalate{By: pagingtest.By(w.Bob, "Bob")})
			if status, said := mail.post(c.form(shown)); status != http.StatusSeeOther {
				t.Fatalf("%d %s", status, said)
			}
			got := w.Texts(t, `SELECT i.number || ' ' || i.status || ' by ' || coalesce(u.name, 'nobody') || ', paging ' || i.paging_status
				FROM incident i LEFT JOIN users u ON u.id = i.acknowledged_by WHERE i.org_id = $1 ORDER BY i.number`, w.Org)
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestALinkThatAcknowledgesOnlyAPartSaysSo: somebody holds one of more incidents than one transaction
// changes.
func TestALinkThatAcknowledgesOnlyAPartSaysSo(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	open(t, w, 251)
	mail := mailed(t, w)
	press := func() (status int, said string) { return mail.post(nil) }
	last := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM incident ORDER BY id DESC LIMIT 1`)
	release := hold(t, w, last)
	status, said := press()
	release()
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE status = 'acknowledged'`); n != 250 {
		t.Fatalf("%d of 251 incidents are acknowledged", n)
	}
	if status != http.StatusServiceUnavailable || !strings.Contains(said, "250 of 251 incidents are acknowledged") || strings.Contains(said, "Nothing was changed") {
		t.Errorf("%d: %s", status, said)
	}
	if status, said := press(); status != http.StatusSeeOther {
		t.Errorf("the rest: %d %s", status, said)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE status = 'acknowledged'`); n != 251 {
		t.Errorf("%d of 251 incidents are acknowledged at last", n)
	}
}

// TestALinkWaitsForNoProgramThatAnswersMany: whoever was woken presses a button once. Parts of others wait for each
// other, and leave connections to single answers.
func TestALinkWaitsForNoProgramThatAnswersMany(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	open(t, w, 251)
	mail := mailed(t, w)
	leave, err := w.Responder.EnterPart(t.Context(), w.Org)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	impatient, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if second, err := w.Responder.EnterPart(impatient, w.Org); err == nil {
		second()
		t.Error("a second answer to many takes the connection of single ones")
		second, err := w.Responder.EnterPart(t.Context(), w.Org)
		if err == nil {
			defer second()
		}
	}
	phone, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := w.Responder.AcknowledgeLinked(phone, mail.claims, nil); err != nil {
		t.Fatal(err)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE status = 'acknowledged'`); n != 251 {
		t.Errorf("%d of 251 incidents are acknowledged", n)
	}
}
