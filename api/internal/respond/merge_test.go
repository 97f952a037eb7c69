package respond_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/respond"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func codeOf(err error) string {
	if refusal, ok := fault.Of(err); ok {
		return refusal.Code
	}
	return fmt.Sprint(err)
}

func incidentIDs(t *testing.T, w *pagingtest.Workspace) []uuid.UUID {
	t.Helper()
	return pgtest.One[[]uuid.UUID](t, w.Database, `SELECT array_agg(id ORDER BY number) FROM incident WHERE org_id = $1`, w.Org)
}

func of(group string, severity alert.Severity, key string) alert.Received {
	a := pagingtest.Firing(key, group, pagingtest.Began)
	a.Severity = severity
	return a
}

// acceptOfBatch lets an alert of another service open an incident.
func acceptOfBatch(t *testing.T, w *pagingtest.Workspace, severity alert.Severity) (service uuid.UUID) {
	t.Helper()
	service = uuid.New()
	w.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Batch', nightbell_now(), nightbell_now())`, w.Org, service)
	route := w.Route
	route.ServiceID, route.ServiceName = service, "Batch"
	must(t, w.Intake.Accept(t.Context(), route, alert.Batch{Alerts: []alert.Received{of("batch", severity, "x1")}}))
	return service
}

// TestAMergedIncidentGoesOnInTheOther: its alerts, those that come later, and its severity.
func TestAMergedIncidentGoesOnInTheOther(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ada := pagingtest.By(w.Ada, "Ada")
	w.Accept(t, of("disk", alert.Low, "d1"), of("db", alert.Critical, "b1"), of("web", alert.Low, "w1"))
	w.Sweep(t)
	ids := incidentIDs(t, w)
	byGroup := map[string]uuid.UUID{}
	for i, group := range w.Texts(t, `SELECT alert_key FROM alert a JOIN incident i ON i.id = a.incident_id WHERE a.org_id = $1 ORDER BY i.number`, w.Org) {
		byGroup[group] = ids[i]
	}
	disk, db, web := byGroup["d1"], byGroup["b1"], byGroup["w1"]
	merge := func(one, into uuid.UUID) error { return w.Responder.Merge(t.Context(), w.Org, one, into, ada) }

	// 1. The one is over; the other has its alert, and is as severe.
	must(t, merge(db, disk))
	now := func(one uuid.UUID) string {
		return pgtest.One[string](t, w.Database, `SELECT status || ' ' || severity || ' ' || alert_count FROM incident WHERE id = $1`, one)
	}
	if now(db) != "resolved critical 1" || now(disk) != "triggered critical 2" {
		t.Errorf("after the merge: %s into %s", now(db), now(disk))
	}
	if said := w.Said(t, "merged"); len(said) != 1 || !strings.Contains(said[0], "Merged #") {
		t.Errorf("the history says %q", said)
	}
	if pending := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification WHERE incident_id = $1 AND finished_at IS NULL`, db); pending != 0 {
		t.Errorf("%d pages of the merged incident still wait", pending)
	}
	// 2. What comes about the same joins the other, repeats and new alerts alike.
	w.Accept(t, of("db", alert.Critical, "b1"), of("db", alert.High, "b2"))
	if now(disk) != "triggered critical 3" || len(incidentIDs(t, w)) != 3 {
		t.Errorf("after a repeat and a new alert: %s, %d incidents", now(disk), len(incidentIDs(t, w)))
	}
	// 3. Merged once more, all of it moves on.
	must(t, merge(disk, web))
	w.Accept(t, of("db", alert.High, "b3"), of("disk", alert.Low, "d2"))
	if now(web) != "triggered critical 6" || len(incidentIDs(t, w)) != 3 {
		t.Errorf("after the second merge: %s, %d incidents", now(web), len(incidentIDs(t, w)))
	}
	// 4. It ends when the last of all alerts does, and then the same is new trouble.
	for i, a := range []alert.Received{
		pagingtest.Ended("d1", "disk", pagingtest.Began), pagingtest.Ended("d2", "disk", pagingtest.Began), pagingtest.Ended("b1", "db", pagingtest.Began),
		pagingtest.Ended("b2", "db", pagingtest.Began), pagingtest.Ended("b3", "db", pagingtest.Began), pagingtest.Ended("w1", "web", pagingtest.Began),
	} {
		if status := now(web); !strings.HasPrefix(status, "triggered") {
			t.Fatalf("it is %s before alert %d ended", status, i)
		}
		w.Accept(t, a)
	}
	if now(web) != "resolved critical 6" {
		t.Errorf("after all ended: %s", now(web))
	}
	w.Accept(t, of("db", alert.High, "b9"))
	if len(incidentIDs(t, w)) != 4 {
		t.Error("new trouble of the merged kind opened no incident")
	}
	// 5. What cannot be merged.
	for name, c := range map[string]struct {
		one, into uuid.UUID
		code      string
	}{
		"a resolved one":    {db, incidentIDs(t, w)[3], "incident_resolved"},
		"into a resolved":   {incidentIDs(t, w)[3], web, "incident_resolved"},
		"into itself":       {web, web, "invalid_fields"},
		"into none":         {incidentIDs(t, w)[3], uuid.Max, "invalid_fields"},
		"what is not there": {uuid.Max, incidentIDs(t, w)[3], "incident_not_found"},
	} {
		if err := merge(c.one, c.into); codeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhoeverAcknowledgedIsAskedAboutWhatIsMergedIn when that is worse; nobody sleeps through a critical
// alert because it was merged into a low one.
func TestWhoeverAcknowledgedIsAskedAboutWhatIsMergedIn(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Accept(t, of("disk", alert.Low, "d1"))
	ids := incidentIDs(t, w)
	must(t, w.Responder.Respond(t.Context(), w.Org, ids, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}))
	w.Sweep(t)
	before := len(w.Paged(t))
	w.Accept(t, of("db", alert.Critical, "b1"))
	ids = incidentIDs(t, w)
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], pagingtest.By(w.Bob, "Bob")))
	asked := w.Texts(t, `SELECT u.name FROM notification n JOIN users u ON u.id = n.user_id WHERE n.org_id = $1 AND n.confirms`, w.Org)
	if len(asked) == 0 || asked[0] != "Ada" {
		t.Errorf("asked: %q, and %d pages before", asked, before)
	}
}

// TestADeclaredIncidentOutlivesTheAlertsMergedIn: whether it is over is for people to say.
func TestADeclaredIncidentOutlivesTheAlertsMergedIn(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Accept(t, of("db", alert.High, "b1"))
	_, err := w.Responder.DeclareIncident(t.Context(), respond.Declaration{OrgID: w.Org, By: pagingtest.By(w.Bob, "Bob"), Title: "Checkout is slow", Severity: alert.High})
	must(t, err)
	ids := incidentIDs(t, w)
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[0], ids[1], pagingtest.By(w.Ada, "Ada")))
	w.Accept(t, pagingtest.Ended("b1", "db", pagingtest.Began))
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1", "triggered high 1"}) {
		t.Errorf("after the alert ended: %q", got)
	}
}

// TestMergesRaceWithAlerts: two people merge in circles while alerts of all come in. Nothing deadlocks,
// every firing alert belongs to an open incident, and no subject has two.
func TestMergesRaceWithAlerts(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	for group := range 4 {
		w.Accept(t, of(fmt.Sprint("g", group), alert.High, fmt.Sprint("g", group, "-0")))
	}
	var all sync.WaitGroup
	for person := range 2 {
		all.Go(func() {
			for round := range 30 {
				open := w.Texts(t, `SELECT id::text FROM incident WHERE org_id = $1 AND status <> 'resolved' ORDER BY number`, w.Org)
				if len(open) < 2 {
					continue
				}
				one, into := open[(round+person)%len(open)], open[(round+person+1)%len(open)]
				err := w.Responder.Merge(context.Background(), w.Org, uuid.MustParse(one), uuid.MustParse(into), pagingtest.By(w.Ada, "Ada"))
				if err != nil && codeOf(err) != "incident_resolved" {
					t.Errorf("a merge: %v", err)
				}
			}
		})
	}
	for sender := range 2 {
		all.Go(func() {
			for n := range 40 {
				group := fmt.Sprint("g", n%4)
				w.Accept(t, of(group, alert.High, fmt.Sprint(group, "-", sender, n)), of(group, alert.High, group+"-0"))
			}
		})
	}
	all.Wait()
	if lost := w.Texts(t, `SELECT a.alert_key FROM alert a LEFT JOIN incident i ON i.id = a.incident_id
		WHERE a.org_id = $1 AND a.status = 'firing' AND (i.id IS NULL OR i.status = 'resolved')`, w.Org); len(lost) > 0 {
		t.Errorf("alerts that fire and are of no open incident: %q", lost)
	}
	if wrong := w.Texts(t, `SELECT i.number::text FROM incident i WHERE i.org_id = $1 AND i.status <> 'resolved'
		AND i.alert_count <> (SELECT count(*) FROM alert a WHERE a.incident_id = i.id)`, w.Org); len(wrong) > 0 {
		t.Errorf("incidents that count their alerts wrongly: %q", wrong)
	}
}

// pageCount counts the pages that were not called off.
func pageCount(t *testing.T, w *pagingtest.Workspace) int {
	t.Helper()
	return pgtest.One[int](t, w.Database, `SELECT count(*)::int FROM notification WHERE org_id = $1 AND state <> 'cancelled'`, w.Org)
}

func later(a alert.Received, d time.Duration) alert.Received {
	a.StartsAt = a.StartsAt.Add(d)
	return a
}

// A declared incident takes in an alert; it is acknowledged, the alert ends, nobody presses Resolve. In the next
// nights the same alert fires again, and others of its group: that is new trouble.
func TestADeclaredIncidentDoesNotSwallowTheNextNights(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, of("db", alert.Critical, "b1"))
	_, err := w.Responder.DeclareIncident(t.Context(), respond.Declaration{OrgID: w.Org, By: pagingtest.By(w.Bob, "Bob"), Title: "Checkout is slow", Severity: alert.Critical})
	must(t, err)
	ids := incidentIDs(t, w)
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[0], ids[1], pagingtest.By(w.Ada, "Ada")))
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[1:], incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}))
	w.Clock.Advance(20 * time.Minute)
	w.Accept(t, pagingtest.Ended("b1", "db", pagingtest.Began))
	for night := 1; night <= 3; night++ {
		w.Clock.Advance(24 * time.Hour)
		d := time.Duration(night) * 24 * time.Hour
		w.Accept(t, later(of("db", alert.Critical, "b1"), d), later(of("db", alert.Critical, "b"+string(rune('1'+night))), d))
		for range 20 {
			w.Clock.Advance(time.Minute)
			w.Sweep(t)
		}
		w.Accept(t, later(pagingtest.Ended("b1", "db", pagingtest.Began), d), later(pagingtest.Ended("b"+string(rune('1'+night)), "db", pagingtest.Began), d))
	}
	if got, want := w.Incidents(t)[2:], []string{"resolved critical 2", "resolved critical 2", "resolved critical 2"}; !slices.Equal(got, want) {
		t.Errorf("the three nights are %q, want %q", got, want)
	}
	if woken := w.Texts(t, `SELECT DISTINCT i.number::text FROM notification n JOIN incident i ON i.id = n.incident_id WHERE n.org_id = $1 AND i.number > 2 ORDER BY 1`, w.Org); len(woken) != 3 {
		t.Errorf("paged for the incidents %q", woken)
	}
}

// Paging of the other ran out unanswered an hour ago; the one that is merged has just been paged.
func TestMergingIntoOneWhosePagingRanOutPagesAgain(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, of("disk", alert.Critical, "d1"))
	for range 40 {
		w.Clock.Advance(time.Minute)
		w.Sweep(t)
	}
	w.Accept(t, of("db", alert.Critical, "b1"))
	ids := incidentIDs(t, w)
	before := pageCount(t, w)
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], pagingtest.By(w.Bob, "Bob")))
	for range 60 {
		w.Clock.Advance(time.Minute)
		w.Sweep(t)
	}
	if got := pageCount(t, w) - before; got < 2 {
		t.Errorf("%d pages in the hour after the merge; Ada, Bob and the owners should be paged again: %q", got, w.Paged(t))
	}
}

// Ada, Bob and the owners were paged for the other, whose paging only waits for its end.
func TestMergingIntoOneThatWaitsForTheEndOfItsPagingPagesAgain(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, of("disk", alert.Critical, "d1"))
	for range 11 {
		w.Clock.Advance(time.Minute)
		w.Sweep(t)
	}
	if said := w.Said(t, "exhausted"); len(said) > 0 {
		t.Fatalf("paging is over already: %q", said)
	}
	w.Accept(t, of("db", alert.Critical, "b1"))
	ids := incidentIDs(t, w)
	before := pageCount(t, w)
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], pagingtest.By(w.Bob, "Bob")))
	for range 60 {
		w.Clock.Advance(time.Minute)
		w.Sweep(t)
	}
	if got := pageCount(t, w) - before; got < 2 {
		t.Errorf("%d pages in the hour after the merge; Ada, Bob and the owners should be paged again: %q", got, w.Paged(t))
	}
}

// The sender acknowledged the other, so that nobody is paged for it, and no person knows of it.
func TestMergingIntoWhatOnlyAProgramAnswered(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Accept(t, of("disk", alert.Critical, "d1"))
	w.Accept(t, of("db", alert.Critical, "b1"))
	ids, ada := incidentIDs(t, w), pagingtest.By(w.Ada, "Ada")
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[:1], incident.Acknowledge{By: incident.Actor{Kind: incident.APIKey, Name: "Deploys"}}))
	if got := codeOf(w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], ada)); got != "nobody_would_be_paged" {
		t.Errorf("an unanswered one, into one that only a program answered: %s", got)
	}
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[:1], incident.Assign{By: ada, To: w.Bob, ToName: "Bob"}))
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], ada))
}

// Nobody has answered the one, and nobody is paged for the other: merging them would silence both.
func TestMergingNeverSilences(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(pagingtest.Began)
	batch, window := uuid.New(), uuid.New()
	w.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Batch', nightbell_now(), nightbell_now())`, w.Org, batch)
	w.Exec(t, `INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_at)
		VALUES ($1, $2, 'Upgrade', nightbell_now() - interval '1 minute', nightbell_now() + interval '6 hours', nightbell_now())`, w.Org, window)
	w.Exec(t, `INSERT INTO maintenance_service (org_id, window_id, service_id) VALUES ($1, $2, $3)`, w.Org, window, batch)
	other := w.Route
	other.ServiceID, other.ServiceName = batch, "Batch"
	must(t, w.Intake.Accept(t.Context(), other, alert.Batch{Alerts: []alert.Received{of("batch", alert.Low, "x1")}}))
	w.Accept(t, of("disk", alert.Critical, "d1"))
	w.Accept(t, of("db", alert.Critical, "b1"))
	ids, ada := incidentIDs(t, w), pagingtest.By(w.Ada, "Ada")
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[1:2], incident.Snooze{By: ada, For: 8 * time.Hour}))
	merge := func(into uuid.UUID) string { return codeOf(w.Responder.Merge(t.Context(), w.Org, ids[2], into, ada)) }
	if snoozed, held := merge(ids[1]), merge(ids[0]); snoozed != "nobody_would_be_paged" || held != "pages_are_held" {
		t.Errorf("into one that is snoozed: %s, into one in maintenance: %s", snoozed, held)
	}
	if got := w.Incidents(t); got[2] != "triggered critical 1" {
		t.Errorf("after the refusals: %q", got)
	}
	// Whoever has answered it may merge it into what sleeps, and not into what another's maintenance silences.
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[2:], incident.Acknowledge{By: ada}))
	if held := merge(ids[0]); held != "pages_are_held" {
		t.Errorf("an answered one, into one in maintenance: %s", held)
	}
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[2], ids[1], ada))
}

// Somebody acknowledged the one as low and has not answered since it is critical: nobody has it as that.
func TestMergingAnOpenQuestionIntoWhatSleeps(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, of("disk", alert.Critical, "d1"))
	w.Accept(t, of("db", alert.Low, "b1"))
	ids, ada := incidentIDs(t, w), pagingtest.By(w.Ada, "Ada")
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[:1], incident.Snooze{By: ada, For: 8 * time.Hour}))
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[1:], incident.Acknowledge{By: ada}))
	w.Clock.Advance(time.Second)
	w.Accept(t, of("db", alert.Critical, "b2"))
	merge := func() string { return codeOf(w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], ada)) }
	if got := merge(); got != "nobody_would_be_paged" {
		t.Errorf("into one that is snoozed: %s", got)
	}
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[1:], incident.Acknowledge{By: ada}))
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], ada))
}

// The other was paged for before the maintenance began, and its next step is not due yet.
func TestMergingIntoOneThatMaintenanceWillHold(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(pagingtest.Began)
	batch := acceptOfBatch(t, w, alert.Critical)
	w.Clock.Advance(time.Minute)
	w.AddMaintenance(t, pagingtest.Began.Add(time.Minute), pagingtest.Began.Add(6*time.Hour), "Upgrade", batch)
	w.Accept(t, of("db", alert.Critical, "b1"))
	ids, ada := incidentIDs(t, w), pagingtest.By(w.Ada, "Ada")
	if got := codeOf(w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], ada)); got != "pages_are_held" {
		t.Errorf("an unanswered one, into one whose pages maintenance holds from now on: %s", got)
	}
}

// Ada has the other, and would hear only after the maintenance that it is worse than she knows.
func TestMergingIntoOneWhoseQuestionWouldWait(t *testing.T) {
	t.Parallel()
	for _, worse := range []bool{true, false} {
		w := pagingtest.New(t)
		w.Clock.Freeze(pagingtest.Began)
		batch := acceptOfBatch(t, w, alert.High)
		w.Clock.Advance(time.Minute)
		w.AddMaintenance(t, w.Clock.Now(), w.Clock.Now().Add(6*time.Hour), "Upgrade", batch)
		severity, want := alert.High, "<nil>"
		if worse {
			severity, want = alert.Critical, "pages_are_held"
		}
		w.Accept(t, of("db", severity, "b1"))
		ids, ada := incidentIDs(t, w), pagingtest.By(w.Ada, "Ada")
		must(t, w.Responder.Respond(t.Context(), w.Org, ids[:1], incident.Acknowledge{By: ada}))
		if got := codeOf(w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], ada)); got != want {
			t.Errorf("an unanswered one into an acknowledged one in maintenance, worse is %t: %q, want %q", worse, got, want)
		}
	}
}

// In a quiet time a rise is only noted; when the next step comes in it, paging ends.
func TestMergingIntoOneThatIsQuietForWhatItBecomes(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, of("disk", alert.Low, "d1"))
	w.Accept(t, of("db", alert.Medium, "b1"))
	w.Clock.Advance(time.Minute)
	w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["medium"], "windows": []}]'`)
	ids := incidentIDs(t, w)
	if got := codeOf(w.Responder.Merge(t.Context(), w.Org, ids[1], ids[0], pagingtest.By(w.Ada, "Ada"))); got != "nobody_would_be_paged" {
		t.Errorf("an unanswered one, into one that pages nobody as it becomes: %q", got)
	}
}

// Somebody lowered it; the next repeat of its alert is no news in the other either.
func TestWhatIsLoweredStaysLoweredInTheOther(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, of("db", alert.Critical, "b1"))
	w.Accept(t, of("disk", alert.Low, "d1"))
	ids := incidentIDs(t, w)
	must(t, w.Responder.Respond(t.Context(), w.Org, ids[:1], incident.ChangeSeverity{By: pagingtest.By(w.Ada, "Ada"), To: alert.Low}))
	must(t, w.Responder.Respond(t.Context(), w.Org, ids, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}))
	w.Accept(t, of("db", alert.Critical, "b1")) // control
	control := w.Incidents(t)
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[0], ids[1], pagingtest.By(w.Ada, "Ada")))
	before := pageCount(t, w)
	w.Accept(t, of("db", alert.Critical, "b1"))
	if after := pageCount(t, w); after != before {
		t.Errorf("a repeat pages again: %d -> %d; control %q, now %q", before, after, control, w.Incidents(t))
	}
}

// Whoever subscribed to the one is told of the other.
func TestSubscribersFollowTheMerge(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Accept(t, of("db", alert.Critical, "b1"))
	w.Accept(t, of("disk", alert.Critical, "d1"))
	ids := incidentIDs(t, w)
	must(t, w.Responder.Subscribe(t.Context(), w.Org, ids[0], w.Bob))
	must(t, w.Responder.Merge(t.Context(), w.Org, ids[0], ids[1], pagingtest.By(w.Ada, "Ada")))
	if n := pgtest.One[int](t, w.Database, `SELECT count(*)::int FROM incident_subscriber WHERE incident_id = $1 AND user_id = $2`, ids[1], w.Bob); n != 1 {
		t.Error("Bob is told nothing of what goes on")
	}
}
