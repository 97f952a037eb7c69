package intake

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert/alertdb"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// firstLook is what of a batch the database knew before it was told. An alert that it has
// never seen, and an incident that nobody has opened, are decided by that and written
// once, at the end; the unique indexes notice what another replica did meanwhile. Then
// the batch is stored again without trust: each statement asks and writes at once.
type firstLook struct {
	trusted bool
	stored  map[incidentdb.Subject]bool // alerts, by service and key
	opened  map[incidentdb.Subject]bool // subjects with an open incident

	newcomers *alertdb.Newcomers
	openings  []incidentdb.Opening
	founded   []incidentdb.Record
}

// isOutdatedLook reports whether a batch failed because its first look was.
func isOutdatedLook(err error) bool {
	constraint := postgres.ConstraintName(err)
	return postgres.IsUnique(err) && (constraint == alertdb.ConstraintKey || constraint == incidentdb.ConstraintOpen)
}

// queueLook adds the first look to the batch that opens the transaction.
func (s *alertStory) queueLook(batch *pgx.Batch) {
	s.firstLook = firstLook{trusted: true, stored: map[incidentdb.Subject]bool{}, opened: map[incidentdb.Subject]bool{}}
	about := map[incidentdb.Subject]bool{}
	for _, a := range s.arrivals {
		about[s.subject(a)] = true
	}
	alertdb.QueueKnown(batch, s.arrivals, func(serviceID uuid.UUID, key string) {
		s.stored[incidentdb.Subject{ServiceID: serviceID, Key: key}] = true
	})
	incidentdb.QueueOpenSubjects(batch, keys(about), func(subject incidentdb.Subject) { s.opened[subject] = true })
}

// divide tells the arrivals that may be stored from those that are not.
func (l *firstLook) divide(arrivals []alertdb.Arrival) (stored, fresh []alertdb.Arrival) {
	if !l.trusted {
		return arrivals, nil
	}
	for _, a := range arrivals {
		if l.stored[incidentdb.Subject{ServiceID: a.ServiceID, Key: a.Key}] {
			stored = append(stored, a)
		} else {
			fresh = append(fresh, a)
		}
	}
	return stored, fresh
}

// mayBeOpen reports whether an open incident about the subject is worth looking for.
func (l *firstLook) mayBeOpen(subject incidentdb.Subject) bool {
	return !l.trusted || l.opened[subject]
}

// queueNumbers adds the statements that number new incidents to a batch; take gets them.
// The incidents are written with everything else.
func (s *alertStory) queueNumbers(batch *pgx.Batch, openings []incidentdb.Opening, take func([]incidentdb.Opened)) {
	slices.SortFunc(openings, func(a, b incidentdb.Opening) int {
		return cmp.Or(bytes.Compare(a.OrgID[:], b.OrgID[:]), bytes.Compare(a.ServiceID[:], b.ServiceID[:]), cmp.Compare(a.Key, b.Key))
	})
	opened := make([]incidentdb.Opened, len(openings))
	s.openings, s.founded = openings, make([]incidentdb.Record, len(openings))
	for first := 0; first < len(openings); {
		own := openings[first:]
		if end := slices.IndexFunc(own, func(o incidentdb.Opening) bool { return o.OrgID != own[0].OrgID }); end > 0 {
			own = own[:end]
		}
		place := first
		incidentdb.QueueNumbers(batch, own[0].OrgID, len(own), func(number int) {
			for i, opening := range own {
				record := opening.Becomes(id.New())
				record.Number = number + i
				s.founded[place+i], opened[place+i] = record, incidentdb.Opened{Record: record, Fresh: true}
			}
			take(opened)
		})
		first += len(own)
	}
}

// queueFresh adds what is written for the first time to the pipelined batch.
func (s *alertStory) queueFresh() {
	incidentdb.QueueInsert(&s.batch, s.openings, s.founded, s.now)
	s.openings, s.founded = nil, nil
	var incidents []uuid.UUID
	for _, row := range s.rows {
		if row.fresh {
			incidents = append(incidents, row.IncidentID)
		}
	}
	s.newcomers.Queue(&s.batch, incidents)
}
