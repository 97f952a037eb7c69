package intake

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/failpoint"
)

// batch is what one transaction stores; storeBatch (store.go) takes it through its steps.
type batch struct {
	tx    pgx.Tx
	now   time.Time
	round *paging.Round

	together []*submission
	begun    time.Time // by this process's clock, when now is read: locks are waited for after that
	// routes and truncated are by service.
	routes    map[uuid.UUID]catalog.Route
	truncated map[uuid.UUID]int
	alerts    []alertdb.Change // sorted; storing an alert changes its element
	subjects  []incidentdb.Subject
	meanings  []alert.Meaning

	// stored are the alerts that were known, open the incidents about the subjects, as read
	// with BEGIN. Records are the incidents that this transaction holds, commanded those that it
	// changes by a command.
	stored    map[alertdb.Key]alert.Stored
	open      map[incidentdb.Subject]uuid.UUID
	records   map[uuid.UUID]incidentdb.Record
	commanded map[uuid.UUID]bool

	// lines are what the timelines of the alerts' incidents get besides, by alert key.
	lines map[string]incident.Event

	openings []incidentdb.Opening
	openAs   uuid.UUID             // the id of the next incident; Nil for a new one
	opened   []incidentdb.Record   // what openings become
	pagings  []escalationdb.Paging // and where their paging stands
	joined   map[uuid.UUID]incidentdb.Joined
	writes   pgx.Batch

	// What came as events, see events.go. Replays were made before; a twin is the first of two
	// calls with one id in this batch.
	calls, replays []call
	serviceOf      map[*alert.Event]uuid.UUID
	known          map[alertdb.Call]alertdb.Known
	twins          map[*alert.Event]*alert.Event
	acknowledged   map[uuid.UUID]bool
	alertIDs       map[alertdb.Key]uuid.UUID
}

func newBatch(together []*submission) *batch {
	b := &batch{
		together: together, begun: time.Now(), routes: map[uuid.UUID]catalog.Route{}, truncated: map[uuid.UUID]int{}, stored: map[alertdb.Key]alert.Stored{},
		open: map[incidentdb.Subject]uuid.UUID{}, records: map[uuid.UUID]incidentdb.Record{}, commanded: map[uuid.UUID]bool{},
		serviceOf: map[*alert.Event]uuid.UUID{}, known: map[alertdb.Call]alertdb.Known{}, twins: map[*alert.Event]*alert.Event{},
		acknowledged: map[uuid.UUID]bool{}, joined: map[uuid.UUID]incidentdb.Joined{}, alertIDs: map[alertdb.Key]uuid.UUID{},
	}
	for _, one := range together {
		b.routes[one.route.ServiceID] = one.route
		for _, r := range one.batch.Alerts {
			if r.Event != nil {
				r.Key = alert.BoundKey(r.Key)
				b.calls = append(b.calls, call{one.route.ServiceID, r})
				b.serviceOf[r.Event] = one.route.ServiceID
			}
		}
	}
	b.collect(together, func(alert.Received) bool { return true })
	return b
}

// collect merges the alerts that the requests brought, but for those that are not wanted, and
// names what they are about.
func (b *batch) collect(together []*submission, wanted func(alert.Received) bool) {
	received := map[uuid.UUID][]alert.Received{}
	b.alerts = nil
	for _, one := range together {
		serviceID := one.route.ServiceID
		b.truncated[serviceID] = max(b.truncated[serviceID], one.batch.Truncated)
		for _, r := range one.batch.Alerts {
			if wanted(r) && (r.Event == nil || r.Event.Action != alert.Acknowledge) {
				received[serviceID] = append(received[serviceID], r)
			}
		}
	}
	for serviceID, alerts := range received {
		for _, merged := range alert.Merge(alerts) {
			failpoint.At("storing", merged.Title)
			b.alerts = append(b.alerts, alertdb.Change{OrgID: b.routes[serviceID].OrgID, ServiceID: serviceID, Received: merged})
		}
	}
	alertdb.Sort(b.alerts)
	b.subjects, b.meanings = make([]incidentdb.Subject, len(b.alerts)), make([]alert.Meaning, len(b.alerts))
	for i, a := range b.alerts {
		key := alert.IncidentKey(string(b.routes[a.ServiceID].Grouping), a.Received)
		b.subjects[i] = incidentdb.Subject{ServiceID: a.ServiceID, Key: key}
	}
}

// queueReads asks what the batch depends on, in the round trip that opens the transaction.
func (b *batch) queueReads(first *pgx.Batch) {
	alertdb.QueueLock(first, b.alerts, func(key alertdb.Key, stored alert.Stored) {
		b.stored[key], b.alertIDs[key] = stored, stored.ID
	})
	subjects, calls := b.subjects, make([]alertdb.Call, len(b.calls))
	for i, c := range b.calls {
		calls[i] = c.id()
		if c.received.Event.Action == alert.Acknowledge {
			subjects = append(slices.Clip(subjects), c.subject())
		}
	}
	incidentdb.QueueFindOpen(first, subjects, func(subject incidentdb.Subject, incidentID uuid.UUID) { b.open[subject] = incidentID })
	if len(calls) > 0 {
		alertdb.QueueFindCalls(first, calls, func(call alertdb.Call, known alertdb.Known) { b.known[call] = known })
	}
}
