package intake_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// modelled is one alert as the pure rules see it.
type modelled struct {
	key    string
	stored *alert.Stored
	opened int
	over   time.Time // when the incident was resolved
}

// receive is what intake/store.go does, without a database.
func (m *modelled) receive(r alert.Received, now time.Time) {
	if m.stored != nil {
		m.stored.IncidentResolvedAt, m.stored.AnsweredFiring = m.over, !m.over.IsZero() && m.over.Before(m.stored.LastSeenAt)
	}
	next := alert.Absorb(m.stored, r, now)
	switch alert.Decide(next) {
	case alert.OpenOrJoin:
		m.opened, m.over = m.opened+1, time.Time{}
		next.IncidentID, next.IncidentOpen, next.IncidentStartsAt = id.New(), true, next.StartsAt
	case alert.Cleared:
		next.IncidentOpen, m.over = false, now
	case alert.Repeat, alert.Suppressed, alert.Ended:
	}
	m.stored = &next
}

// T04: whatever arrives in whatever order, with answers of people in between, the
// database ends where the pure rules end.
func TestOrderOfMessagesAgainstTheModel(t *testing.T) {
	t.Parallel()
	const alerts, messages = 60, 10
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	w := newWorkspace(t)
	w.Route.Grouping = catalog.ByAlert
	now := pagingtest.Began.Add(time.Hour)
	models := make([]*modelled, alerts)
	for i := range models {
		models[i] = &modelled{key: fmt.Sprintf("alert-%02d", i)}
	}
	for range messages {
		w.Clock.Freeze(now)
		var batch []alert.Received
		for _, m := range models {
			r := randomMessage(random, m.key)
			batch = append(batch, r)
			m.receive(r, now)
		}
		w.Accept(t, batch...)
		w.answerSome(t, random, models, now)
		now = now.Add(time.Minute)
	}
	for _, m := range models {
		w.compare(t, m)
	}
}

// randomMessage is about one of four episodes, or about one whose start is unknown.
func randomMessage(random *rand.Rand, key string) alert.Received {
	start := pagingtest.Began.Add(time.Duration(random.IntN(4)) * time.Minute)
	if random.IntN(4) == 0 {
		start = time.Time{}
	}
	if random.IntN(3) == 0 {
		return pagingtest.Ended(key, "", start)
	}
	return pagingtest.Firing(key, "", start)
}

// answerSome lets a person resolve some of the open incidents.
func (w *workspace) answerSome(t *testing.T, random *rand.Rand, models []*modelled, now time.Time) {
	t.Helper()
	by := incident.Actor{Kind: incident.User, ID: w.Ada, Name: "Ada"}
	for _, m := range models {
		if m.stored.IncidentID == uuid.Nil || !m.stored.IncidentOpen || random.IntN(4) > 0 {
			continue
		}
		m.stored.IncidentOpen, m.over = false, now
		open := w.Texts(t, `SELECT incident_id::text FROM alert WHERE org_id = $1 AND alert_key = $2`, w.Org, m.key)
		if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{uuid.MustParse(open[0])}, incident.Resolve{By: by}); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *workspace) compare(t *testing.T, m *modelled) {
	t.Helper()
	var status string
	var startsAt time.Time
	var open bool
	var opened int
	err := w.InTenant(t.Context(), w.Org, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT a.status, a.starts_at, coalesce(i.status <> 'resolved', false),
			       (SELECT count(*) FROM incident o WHERE o.org_id = a.org_id AND o.incident_key = 'alert:' || a.alert_key)
			FROM alert a LEFT JOIN incident i ON i.org_id = a.org_id AND i.id = a.incident_id
			WHERE a.org_id = $1 AND a.alert_key = $2`, w.Org, m.key).Scan(&status, &startsAt, &open, &opened)
	})
	if err != nil {
		t.Fatal(err)
	}
	if status != string(m.stored.Status) || !startsAt.Equal(m.stored.StartsAt) || open != m.stored.IncidentOpen || opened != m.opened {
		t.Errorf("%s: the database has %s since %s, open %v after %d incidents; the model %s since %s, open %v after %d",
			m.key, status, startsAt.UTC(), open, opened, m.stored.Status, m.stored.StartsAt, m.stored.IncidentOpen, m.opened)
	}
}
