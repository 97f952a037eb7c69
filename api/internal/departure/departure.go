// Package departure takes a person out of an organization, so that no page waits for somebody who
// has left.
//
//  1. Duties reads what names the person: schedules, policies, teams, services, open incidents.
//  2. Leave locks what could begin to name them, and refuses when it is the last owner, or when
//     something would be left without a person and nobody replaces them.
//  3. It puts the replacement in their place everywhere, and removes the membership; sessions go with it.
//  4. Open incidents that waited for them go on at once: see incident.ResponderLeft.
//
// All of it is one transaction.
package departure

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// The refusals.
var (
	ErrNoUser    = fault.New(fault.NotFound, "user_not_found", "User not found")
	ErrLastOwner = fault.New(fault.Conflict, "last_owner",
		"This is the only owner of your organization, whom Nightbell pages when nobody else answers. Make somebody else an owner first.")
	errNoReplacement = fault.InvalidField("replace_by", fault.Missing, "Choose somebody else of your organization.")
)

// Person is who leaves, and who takes their place; ReplaceBy is Nil for nobody.
type Person struct{ OrgID, ID, ReplaceBy uuid.UUID }

// Duty is one thing that names a person.
type Duty struct {
	ID   uuid.UUID
	Name string
}

// Duties are what names a person.
type Duties struct {
	Schedules, Policies, Teams, Services, Incidents []Duty
	// APIKeys are those that the person made and may know. They go on working.
	APIKeys []Duty
}

// Needed are the duties that somebody has to take over: without them nobody would be paged.
func (d Duties) Needed() (list []string) {
	for _, kind := range []struct {
		one, many string
		duties    []Duty
	}{{"schedule", "schedules", d.Schedules}, {"escalation policy", "escalation policies", d.Policies}, {"team", "teams", d.Teams}, {"open incident", "open incidents", d.Incidents}} {
		switch len(kind.duties) {
		case 0:
		case 1:
			list = append(list, "1 "+kind.one)
		default:
			list = append(list, fmt.Sprintf("%d %s", len(kind.duties), kind.many))
		}
	}
	return list
}

// ReadDuties reads what names a member at now.
func ReadDuties(ctx context.Context, tx pgx.Tx, p Person, now time.Time) (duties Duties, err error) {
	for _, kind := range []struct {
		into *[]Duty
		sql  string
	}{
		{&duties.Schedules, schedulesSQL},
		{&duties.Policies, policiesSQL},
		{&duties.Teams, teamsSQL},
		{&duties.Services, servicesSQL},
		{&duties.Incidents, incidentsSQL},
		{&duties.APIKeys, keysSQL},
	} {
		rows, err := tx.Query(ctx, kind.sql, p.OrgID, p.ID, now)
		if err != nil {
			return duties, err
		}
		if *kind.into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Duty]); err != nil {
			return duties, err
		}
	}
	return duties, nil
}

// member is who somebody is before they leave.
type member struct{ name, role string }

// Leave removes the person at now, on behalf of by, in a transaction that it ends as postgres.Finish
// does. allow is asked, with everything locked, whether a person of that role may be removed.
func Leave(ctx context.Context, tx pgx.Tx, p Person, by incident.Actor, allow func(role string) error, now time.Time) error {
	last, err := leave(ctx, tx, p, by, allow, now)
	if err != nil {
		return err
	}
	return postgres.Finish(ctx, tx, last)
}

// leave is Leave but for its last statements, which the caller sends.
func leave(ctx context.Context, tx pgx.Tx, p Person, by incident.Actor, allow func(role string) error, now time.Time) (last *pgx.Batch, err error) {
	// 1. What is over takes the longest and nothing waits for it, so it is not done under the locks.
	if _, err := tx.Exec(ctx, forgetOverSQL, p.OrgID, p.ID); err != nil {
		return nil, err
	}
	// 2. Whoever could name the person meanwhile waits; policies first, as edits of them do.
	leaving, replacement, owners, err := lock(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	if err := allow(leaving.role); err != nil {
		return nil, err
	}
	if p.ReplaceBy != uuid.Nil && (replacement.role == "" || p.ReplaceBy == p.ID) {
		return nil, errNoReplacement
	}
	if leaving.role == "owner" && owners == 1 {
		return nil, ErrLastOwner
	}
	duties, err := ReadDuties(ctx, tx, p, now)
	if err != nil {
		return nil, err
	}
	if needed := duties.Needed(); p.ReplaceBy == uuid.Nil && len(needed) > 0 {
		return nil, fault.Newf(fault.Conflict, "user_has_duties",
			"%s is named by %s. Say who replaces them with replace_by, so that nobody is left unpaged.", leaving.name, strings.Join(needed, ", "))
	}
	// 3. Which incidents wait for them has to be asked before their pages are called off.
	waiting, err := ids(ctx, tx, waitingSQL, p.OrgID, p.ID, postgres.Null(p.ReplaceBy))
	if err != nil {
		return nil, err
	}
	assigned, err := ids(ctx, tx, assignedSQL, p.OrgID, p.ID)
	if err != nil {
		return nil, err
	}
	// 4. The replacement takes every place, and the person is forgotten.
	batch := &pgx.Batch{}
	if p.ReplaceBy != uuid.Nil {
		for _, sql := range replaceSQL {
			batch.Queue(sql, p.OrgID, p.ID, p.ReplaceBy, now)
		}
	}
	for _, sql := range forgetSQL {
		batch.Queue(sql, p.OrgID, p.ID, now)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, err
	}
	// 5. What waited for them goes on by the policy as it stands now.
	return goOn(ctx, tx, p, by, leaving.name, replacement.name, assigned, waiting, now)
}

// lock keeps everybody from naming the person until the transaction ends.
func lock(ctx context.Context, tx pgx.Tx, p Person) (leaving, replacement member, owners int, err error) {
	batch := &pgx.Batch{}
	for _, sql := range lockSQL {
		batch.Queue(sql, p.OrgID)
	}
	var rows []struct {
		id uuid.UUID
		member
	}
	batch.Queue(lockMembersSQL, p.OrgID, p.ID, p.ReplaceBy).Query(func(found pgx.Rows) (err error) {
		rows, err = pgx.CollectRows(found, func(row pgx.CollectableRow) (one struct {
			id uuid.UUID
			member
		}, err error,
		) {
			err = row.Scan(&one.id, &one.name, &one.role)
			return one, err
		})
		return err
	})
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return leaving, replacement, 0, err
	}
	for _, row := range rows {
		switch row.id {
		case p.ID:
			leaving = row.member
		case p.ReplaceBy:
			replacement = row.member
		}
		if row.role == "owner" {
			owners++
		}
	}
	if leaving.role == "" {
		return leaving, replacement, 0, ErrNoUser
	}
	return leaving, replacement, owners, nil
}

// goOn gives the incidents to the replacement, and pages whoever follows where the person was waited for.
func goOn(ctx context.Context, tx pgx.Tx, p Person, by incident.Actor, name, replacement string, assigned, waiting []uuid.UUID, now time.Time) (*pgx.Batch, error) {
	batch := &pgx.Batch{}
	records, err := incidentdb.LockIn(ctx, tx, p.OrgID, append(assigned, waiting...))
	if err != nil {
		return nil, err
	}
	round := paging.NewRound(tx, now)
	pages := map[uuid.UUID]bool{}
	for _, incidentID := range waiting {
		pages[incidentID] = true
	}
	for _, record := range records {
		assign := incident.Assign{By: by, To: p.ReplaceBy, ToName: replacement}
		// The key of the assignee was cleared with the membership; what is stored now is what is read.
		if record.Status != incident.Resolved && p.ReplaceBy != uuid.Nil && slices.Contains(assigned, record.ID) {
			outcome, err := incident.Decide(record.Incident, assign, now)
			if err != nil {
				return nil, err
			}
			incidentdb.QueueSave(batch, outcome.Next, now)
			for _, event := range outcome.Events {
				round.Note(record, event)
			}
			record.Incident = outcome.Next
		}
		if pages[record.ID] {
			if err := round.Command(ctx, batch, record, incident.ResponderLeft{By: by, Name: name}); err != nil {
				return nil, err
			}
		}
	}
	round.Queue(batch)
	return batch, nil
}

func ids(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
