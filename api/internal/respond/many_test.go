package respond_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// open opens n incidents and gives their ids.
func open(t *testing.T, w *pagingtest.Workspace, n int) []uuid.UUID {
	t.Helper()
	w.Route.Grouping = catalog.ByAlert
	alerts := make([]alert.Received, n)
	for i := range alerts {
		alerts[i] = pagingtest.Firing(fmt.Sprint("a", i), "g", pagingtest.Began)
	}
	w.Accept(t, alerts...)
	return pgtest.One[[]uuid.UUID](t, w.Database, `SELECT array_agg(id ORDER BY number) FROM incident WHERE org_id = $1`, w.Org)
}

// TestSlowListsDelayNoAcknowledgement: every connection that reads lists is taken.
func TestSlowListsDelayNoAcknowledgement(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids := open(t, w, 1)
	release, held := make(chan struct{}), make(chan struct{})
	var lists sync.WaitGroup
	for range w.Stats()[postgres.Tenant].MaxConns() {
		lists.Go(func() {
			if err := w.InTenant(t.Context(), uuid.New(), func(context.Context, pgx.Tx) error {
				held <- struct{}{}
				<-release
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
		<-held
	}
	err := w.Responder.Respond(t.Context(), w.Org, ids, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	close(release)
	lists.Wait()
	if err != nil {
		t.Errorf("an acknowledgement beside slow lists gives %v", err)
	}
}

// TestAnswersFindIncidentsByKey: in a storm tables grow faster than PostgreSQL analyzes them,
// and it would read all of one that it takes for small.
func TestAnswersFindIncidentsByKey(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	open(t, w, 5)
	if _, err := w.Owner(t).Exec(t.Context(), `ANALYZE`); err != nil {
		t.Fatal(err)
	}
	ids := open(t, w, 2_000)
	before := incidentsRead(t, w)
	for _, incidentID := range ids[:20] {
		if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{incidentID}, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}); err != nil {
			t.Fatal(err)
		}
	}
	if read := incidentsRead(t, w) - before; read >= 2_000 {
		t.Errorf("20 acknowledgements read %d rows of incidents", read)
	}
}

// incidentsRead is how many rows of incidents were read so far. It ends all connections:
// PostgreSQL adds up what one did when it ends, and at times of its own.
func incidentsRead(t *testing.T, w *pagingtest.Workspace) (read int) {
	t.Helper()
	owner := w.Owner(t)
	const ended = `SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
	if _, err := owner.Exec(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	if err := owner.QueryRow(t.Context(), `SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'incident'`).Scan(&read); err != nil {
		t.Fatal(err)
	}
	return read
}

// A phone that loses its connection used to leave the rest of "acknowledge all" undone.
func TestManyAreAcknowledgedInAFewTransactionsThoughTheCallerLeft(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	const incidents = 700
	ids := open(t, w, incidents)
	left, leave := context.WithCancel(t.Context())
	leave()
	results, err := w.Responder.RespondToMany(left, w.Org, incident.User, append(ids, ids[0]), incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	if err != nil {
		t.Fatal(err)
	}
	var answered []uuid.UUID
	for _, result := range results {
		if result.Status != incident.Acknowledged || result.Err != nil {
			t.Fatalf("got %+v", result)
		}
		answered = append(answered, result.IncidentID)
	}
	if !slices.Equal(answered, ids) {
		t.Errorf("%d results for %d incidents, or in another order", len(answered), len(ids))
	}
	got := w.Texts(t, `SELECT count(*) || ' in ' || count(DISTINCT xmin::text) FROM incident WHERE status = 'acknowledged'`)
	if got[0] != "700 in 3" {
		t.Errorf("acknowledged %s transactions, want 700 in 3", got[0])
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification WHERE state = 'pending'`); n != 0 {
		t.Errorf("%d pages of acknowledged incidents are still to be sent", n)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM timeline_event WHERE kind = 'acknowledged'`); n != incidents {
		t.Errorf("%d timelines say so", n)
	}
}

// TestPeopleWhoAnswerManyTakeTurns: the second used to wait for all of the first one's, and was told after ten
// seconds that the database is away. A program waits for another of its organization, which holds up no person.
func TestPeopleWhoAnswerManyTakeTurns(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids := open(t, w, 1_001)
	acknowledge := incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}
	leaveProgram, err := w.Responder.EnterProgram(t.Context(), w.Org)
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err = w.Responder.RespondToMany(gone, w.Org, incident.APIKey, ids, acknowledge)
	if known, _ := fault.Of(err); known == nil || known.Code != "answering_many" || known.RetryAfterSeconds == 0 {
		t.Errorf("a second program: %v", err)
	}
	leavePart, err := w.Responder.EnterPart(t.Context(), w.Org)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() { // the phone has left already
		_, err := w.Responder.RespondToMany(gone, w.Org, incident.User, ids, acknowledge)
		answered <- err
	}()
	acknowledged := func() int {
		return pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE status = 'acknowledged'`)
	}
	n := 0
	for n == 0 {
		leavePart()
		if leavePart, err = w.Responder.EnterPart(t.Context(), w.Org); err != nil {
			t.Fatal(err)
		}
		n = acknowledged()
	}
	leavePart()
	if n >= len(ids) {
		t.Errorf("another has its turn after all %d incidents", n)
	}
	if err := <-answered; err != nil {
		t.Errorf("a person beside others: %v", err)
	}
	leaveProgram()
	if n := acknowledged(); n != len(ids) {
		t.Errorf("%d of %d incidents are acknowledged", n, len(ids))
	}
}

// TestLongAnswersThatWaitAreBounded: each holds its incidents, also when whoever sent it has left.
func TestLongAnswersThatWaitAreBounded(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids := open(t, w, 251)
	for w.Responder.TakeLong(w.Org) {
	}
	acknowledge := incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}
	_, err := w.Responder.RespondToMany(t.Context(), w.Org, incident.User, ids, acknowledge)
	if known, _ := fault.Of(err); known == nil || known.Code != "answering_many" {
		t.Errorf("one more than may wait: %v", err)
	}
	if _, err := w.Responder.RespondToMany(t.Context(), w.Org, incident.User, ids[:250], acknowledge); err != nil {
		t.Errorf("a short one: %v", err)
	}
	if _, err := w.Responder.RespondToMany(t.Context(), w.Org, incident.APIKey, ids, acknowledge); err != nil {
		t.Errorf("a program's: %v", err)
	}
	for range 100 {
		if !w.Responder.TakeLong(uuid.New()) {
			t.Error("nothing is left to another organization")
		}
	}
}

// TestOnlyWhatOneTransactionChangesIsCarriedOutWithIt: a crash after the first of several leaves the
// rest to a repeat, which the mark of a call that was carried out would keep from it.
func TestOnlyWhatOneTransactionChangesIsCarriedOutWithIt(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids := open(t, w, 251)
	for _, c := range []struct {
		ids  []uuid.UUID
		want int
	}{{ids, 0}, {ids[:250], 1}} {
		marked := 0
		ctx := postgres.WithFirst(t.Context(), func(*pgx.Batch) { marked++ })
		if _, err := w.Responder.RespondToMany(ctx, w.Org, incident.User, c.ids, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}); err != nil {
			t.Fatal(err)
		}
		if marked != c.want {
			t.Errorf("%d incidents: marked %d times, want %d", len(c.ids), marked, c.want)
		}
	}
}

func TestWhatOneIncidentCannotDoStopsNoOther(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	own := open(t, w, 3)
	by := pagingtest.By(w.Ada, "Ada")
	if err := w.Responder.Respond(t.Context(), w.Org, own[:1], incident.Resolve{By: by}); err != nil {
		t.Fatal(err)
	}
	other := &pagingtest.Workspace{Database: w.Database, Intake: w.Intake}
	other.Fill(t)
	foreign := open(t, other, 1)
	results, err := w.Responder.RespondToMany(t.Context(), w.Org, incident.User, []uuid.UUID{own[0], own[1], foreign[0], id.New(), own[2]}, incident.Acknowledge{By: by})
	if err != nil || len(results) != 5 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for n, want := range []struct {
		status incident.Status
		kind   fault.Kind
	}{
		{incident.Resolved, fault.Conflict},
		{incident.Acknowledged, ""},
		{"", fault.NotFound},
		{"", fault.NotFound},
		{incident.Acknowledged, ""},
	} {
		if got := results[n]; got.Status != want.status || (want.kind == "") != (got.Err == nil) || want.kind != "" && !fault.Is(got.Err, want.kind) {
			t.Errorf("result %d is %+v, want %+v", n, got, want)
		}
	}
	if got := other.Incidents(t); !slices.Equal(got, []string{"triggered critical 1"}) {
		t.Errorf("the other organization's incident is %q", got)
	}
}

// TestALockedIncidentKeepsNoOtherAnswerWaiting: an organization has one connection of the two that tests have, as it has beside
// another that answers. Two answers to an incident that somebody holds used to keep it for five seconds each, and the
// third was refused.
func TestALockedIncidentKeepsNoOtherAnswerWaiting(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids := open(t, w, 2)
	acknowledge := incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}
	release := hold(t, w, ids[0])
	var locked sync.WaitGroup
	begun := make(chan struct{}, 2)
	for range 2 {
		locked.Go(func() {
			begun <- struct{}{}
			if err := w.Responder.Respond(t.Context(), w.Org, ids[:1], acknowledge); err != nil {
				t.Errorf("once it is free again: %v", err)
			}
		})
		<-begun
	}
	impatient, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	if err := w.Responder.Respond(impatient, w.Org, ids[1:], acknowledge); err != nil {
		t.Errorf("an answer beside a locked incident: %v", err)
	}
	release()
	locked.Wait()
}

// TestALockedIncidentIsRefusedAsSuch: nobody is told that the database is away.
func TestALockedIncidentIsRefusedAsSuch(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ids := open(t, w, 1)
	defer hold(t, w, ids[0])()
	err := w.Responder.Respond(t.Context(), w.Org, ids, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	if known, _ := fault.Of(err); known == nil || known.Code != "not_changed" || known.RetryAfterSeconds == 0 {
		t.Error(err)
	}
}
