package respond_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/ackpage"
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

// TestALinkThatAcknowledgesOnlyAPartSaysSo: somebody holds one of more incidents than one transaction
// changes.
func TestALinkThatAcknowledgesOnlyAPartSaysSo(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	open(t, w, 251)
	deliveryID, key := id.New(), []byte(strings.Repeat("k", 32))
	w.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, user_id, channel, outcome, incident_count, notification_ids, started_at)
		SELECT org_id, $1, contact_method_id, user_id, channel, 'accepted', count(*), array_agg(id), nightbell_now()
		FROM notification GROUP BY org_id, contact_method_id, user_id, channel`, deliveryID)
	page := ackpage.New(ackpage.Options{Logger: slog.New(slog.DiscardHandler), Acknowledger: w.Responder, Key: key, PublicURL: "https://nightbell.example"})
	token := notify.MintAck(key, notify.AckClaims{OrgID: w.Org, UserID: w.Ada, DeliveryID: deliveryID, Expires: time.Now().Add(time.Hour)})
	press := func() (status int, said string) {
		request := httptest.NewRequest(http.MethodPost, "https://nightbell.example/ack/"+token, nil)
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, request)
		body, _ := io.ReadAll(answer.Body)
		return answer.Code, string(body)
	}
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
