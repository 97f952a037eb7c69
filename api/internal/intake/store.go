package intake

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// guardedCommit stores what the requests brought, all or nothing, and gives the
// signals that follow. A panic in a rule is one request's problem, not the process's.
func (in *Intake) guardedCommit(ctx context.Context, together []*submission, wait time.Duration) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic while storing alerts: %v\n%s", cause, debug.Stack())
		}
	}()
	story, err := in.commit(ctx, together, wait, true)
	if isOutdatedLook(err) {
		story, err = in.commit(ctx, together, wait, false)
	}
	if err != nil {
		return err
	}
	failpoint.At("stored", "")
	in.signal(story.paging)
	return nil
}

// commit is one try. One that trusts its first look fails when another replica stored
// the same alert, or opened the same incident, since.
func (in *Intake) commit(ctx context.Context, together []*submission, wait time.Duration, trusting bool) (story *alertStory, err error) {
	look := func(batch *pgx.Batch) {
		story = newAlertStory(together)
		if trusting {
			story.queueLook(batch)
		}
	}
	err = in.db.InSystem(ctx, postgres.Ingest, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		story.tx, story.now, story.paging = tx, now, paging.NewRound(tx, now)
		return story.tell(ctx)
	}, postgres.LockTimeout(wait), postgres.First(look))
	return story, err
}

func (in *Intake) signal(round *paging.Round) {
	if channels := round.Channels(); len(channels) > 0 {
		in.signals.Pages(channels...)
	}
	for _, orgID := range round.Orgs() {
		in.signals.Changed(orgID)
	}
}

// alertStory is one transaction in which alerts arrive. Its steps run in the order
// of tell; each reads what it needs with one statement, however many alerts came.
type alertStory struct {
	tx     pgx.Tx
	now    time.Time
	paging *paging.Round

	arrivals []alertdb.Arrival
	// routes and truncated are by service.
	routes    map[uuid.UUID]catalog.Route
	truncated map[uuid.UUID]int

	firstLook

	rows    []*arrived
	links   []alertdb.Link
	joined  []incidentdb.Joined
	records map[uuid.UUID]incidentdb.Record // incidents that this transaction holds
	batch   pgx.Batch
}

// arrived is an alert as it stands now, with what it means.
type arrived struct {
	alertdb.Row
	received alert.Received
	subject  incidentdb.Subject
	meaning  alert.Meaning
	// fresh is set for an alert that is not stored yet.
	fresh bool
}

func newAlertStory(together []*submission) *alertStory {
	s := &alertStory{routes: map[uuid.UUID]catalog.Route{}, truncated: map[uuid.UUID]int{}, records: map[uuid.UUID]incidentdb.Record{}}
	received := map[uuid.UUID][]alert.Received{}
	for _, one := range together {
		s.routes[one.route.ServiceID] = one.route
		received[one.route.ServiceID] = append(received[one.route.ServiceID], one.batch.Alerts...)
		s.truncated[one.route.ServiceID] = max(s.truncated[one.route.ServiceID], one.batch.Truncated)
	}
	for serviceID, alerts := range received {
		for _, merged := range alert.Merge(alerts) {
			failpoint.At("storing", merged.Title)
			s.arrivals = append(s.arrivals, alertdb.Arrival{OrgID: s.routes[serviceID].OrgID, ServiceID: serviceID, Received: merged})
		}
	}
	alertdb.Sort(s.arrivals)
	return s
}

// subject is what an incident is about that an arrival opens or joins.
func (s *alertStory) subject(a alertdb.Arrival) incidentdb.Subject {
	return incidentdb.Subject{ServiceID: a.ServiceID, Key: alert.IncidentKey(string(s.routes[a.ServiceID].Grouping), a.Received)}
}

func (s *alertStory) tell(ctx context.Context) error {
	steps := []func(context.Context) error{s.storeAlerts, s.holdIncidents, s.openIncidents, s.resolveCleared}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.followRepeats()
	s.queueStored()
	s.record()
	s.paging.Queue(&s.batch)
	return postgres.Finish(ctx, s.tx, &s.batch)
}

// storeAlerts writes every alert that is stored already, repeats too, reads what each
// has become, and asks alert.Decide what that means.
func (s *alertStory) storeAlerts(ctx context.Context) error {
	stored, fresh := s.divide(s.arrivals)
	if len(stored) > 0 {
		rows, err := alertdb.Upsert(ctx, s.tx, stored, s.now)
		if err != nil {
			return err
		}
		received := make(map[incidentdb.Subject]alertdb.Arrival, len(stored))
		for _, a := range stored {
			received[incidentdb.Subject{ServiceID: a.ServiceID, Key: a.Key}] = a
		}
		for _, row := range rows {
			// An incident that another replica opened a moment ago may not be visible yet, and
			// must not miss the end of its alert: the lock shows whether it is open.
			row.IncidentOpen = row.IncidentOpen || row.Status == alert.Resolved && row.IncidentID != uuid.Nil
			s.add(row, received[incidentdb.Subject{ServiceID: row.ServiceID, Key: row.Key}], false)
		}
	}
	s.newcomers = alertdb.NewNewcomers(fresh, s.now)
	for i, row := range s.newcomers.Rows {
		s.add(row, fresh[i], true)
	}
	return nil
}

func (s *alertStory) add(row alertdb.Row, from alertdb.Arrival, fresh bool) {
	s.rows = append(s.rows, &arrived{
		Row: row, received: from.Received, meaning: alert.Decide(row.Stored), subject: s.subject(from), fresh: fresh,
	})
}

// flush sends what is queued so far, so that the next statement sees it.
func (s *alertStory) flush(ctx context.Context) error {
	s.queueStored()
	if s.batch.Len() == 0 {
		return nil
	}
	err := s.tx.SendBatch(ctx, &s.batch).Close()
	s.batch = pgx.Batch{}
	return err
}

// link makes the alert's incident answer for the start that it has now. One that is not
// stored yet is stored with it.
func (s *alertStory) link(row *arrived) {
	if row.fresh {
		return
	}
	s.links = append(s.links, alertdb.Link{OrgID: row.OrgID, AlertID: row.ID, IncidentID: row.IncidentID, StartsAt: row.StartsAt})
}

// followRepeats notes that an open incident now answers for a later start of its
// alert: when a person resolves it, the repeats of that start stay quiet too.
func (s *alertStory) followRepeats() {
	for _, row := range s.rows {
		if row.meaning == alert.Repeat && row.StartsAt.After(row.IncidentStartsAt) {
			s.link(row)
		}
	}
}

// queueStored adds what is new, and what links alerts and incidents, to the pipelined
// batch.
func (s *alertStory) queueStored() {
	s.queueFresh()
	alertdb.QueueLinks(&s.batch, s.links)
	incidentdb.QueueJoined(&s.batch, s.joined, s.now)
	s.links, s.joined = nil, nil
}

// record keeps one line for each alert that was received.
func (s *alertStory) record() {
	events := make([]alertdb.Event, len(s.rows))
	for i, row := range s.rows {
		events[i] = alertdb.Event{
			OrgID: row.OrgID, AlertID: row.ID, IncidentID: row.IncidentID,
			Status: row.received.Status, Occurrences: max(1, row.received.Count),
		}
	}
	alertdb.QueueEvents(&s.batch, events, s.now)
}

func keys[K comparable, V any](m map[K]V) []K {
	list := make([]K, 0, len(m))
	for key := range m {
		list = append(list, key)
	}
	return list
}
