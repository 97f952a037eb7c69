package oncallrpc

import (
	"context"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// names are those of members. Somebody else has none.
type names map[uuid.UUID]string

// namesIn reads the names of everybody whom the schedules know.
func (w *work) namesIn(ctx context.Context, schedules ...oncall.Schedule) (names, error) {
	return w.namesOf(ctx, oncall.People(schedules...))
}

func (w *work) namesOf(ctx context.Context, people []uuid.UUID) (names, error) {
	rows, err := w.ListNames(ctx, w.orgID, people)
	known := make(names, len(rows))
	for _, row := range rows {
		known[row.ID] = row.Name
	}
	return known, err
}

func (n names) user(person uuid.UUID) *nightbellv1.Reference {
	return &nightbellv1.Reference{Id: person.String(), Name: n[person]}
}

// userOr is nobody for none.
func (n names) userOr(person *uuid.UUID) *nightbellv1.Reference {
	if person == nil {
		return nil
	}
	return n.user(*person)
}

func (n names) users(people []uuid.UUID) []*nightbellv1.Reference {
	list := make([]*nightbellv1.Reference, len(people))
	for i, person := range people {
		list[i] = n.user(person)
	}
	return list
}

func (n names) shift(shift oncall.Shift) *nightbellv1.Shift {
	message := &nightbellv1.Shift{
		StartsAt: timestamppb.New(shift.Start), EndsAt: timestamppb.New(shift.End), Users: n.users(shift.People),
		Because: string(shift.Because.Kind), BecauseName: postgres.Null(shift.Because.Name),
	}
	if shift.Because.ID != uuid.Nil {
		message.BecauseId = new(shift.Because.ID.String())
	}
	return message
}

func (n names) shifts(shifts []oncall.Shift) []*nightbellv1.Shift {
	list := make([]*nightbellv1.Shift, len(shifts))
	for i, shift := range shifts {
		list[i] = n.shift(shift)
	}
	return list
}

// onCall is who is on call at an instant. A beginning or end beyond the horizon is absent.
func (n names) onCall(schedule oncall.Schedule, at time.Time) *nightbellv1.OnCall {
	current, next, ok := oncall.Next(schedule, at)
	message := &nightbellv1.OnCall{
		Schedule: &nightbellv1.Reference{Id: schedule.ID.String(), Name: schedule.Name}, Timezone: schedule.Zone.String(), Current: n.shift(current),
	}
	if !current.Start.After(at.Add(-oncall.Horizon)) {
		message.Current.StartsAt = nil
	}
	if !ok {
		message.Current.EndsAt = nil
		return message
	}
	message.Next = n.shift(next)
	if !next.End.Before(at.Add(oncall.Horizon)) {
		message.Next.EndsAt = nil
	}
	return message
}

// described is schedules as they are listed, read in a transaction. Who is on call is
// computed by messages, after it.
type described struct {
	rows  []oncalldb.ListSchedulesRow
	byID  map[uuid.UUID]oncall.Schedule
	names names
	now   time.Time
}

// describe reads the one with the id, which must exist.
func (w *work) describe(ctx context.Context, only *uuid.UUID) (d described, err error) {
	rows, err := w.ListSchedules(ctx, oncalldb.ListSchedulesParams{OrgID: w.orgID, ID: only})
	if err == nil && len(rows) == 0 {
		err = errNoSchedule
	}
	if err != nil {
		return d, err
	}
	return w.describeRows(ctx, rows)
}

// describeRows reads the definitions of the schedules of a list.
func (w *work) describeRows(ctx context.Context, rows []oncalldb.ListSchedulesRow) (d described, err error) {
	d = described{rows: rows, byID: map[uuid.UUID]oncall.Schedule{}, now: w.now}
	if len(rows) == 0 {
		return d, nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	schedules, err := oncalldb.Load(ctx, w.tx, w.orgID, ids, w.now.Add(-oncall.Horizon))
	if err != nil {
		return d, err
	}
	for _, schedule := range schedules {
		d.byID[schedule.ID] = schedule
	}
	d.names, err = w.namesIn(ctx, schedules...)
	return d, err
}

// messages ends early when ctx ends.
func (d described) messages(ctx context.Context) ([]*nightbellv1.Schedule, error) {
	list := make([]*nightbellv1.Schedule, 0, len(d.rows))
	for _, row := range d.rows {
		if schedule, ok := d.byID[row.ID]; ok {
			list = append(list, d.names.schedule(row, schedule, d.now))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// message is the only one.
func (d described) message() *nightbellv1.Schedule {
	return d.names.schedule(d.rows[0], d.byID[d.rows[0].ID], d.now)
}

func (n names) schedule(row oncalldb.ListSchedulesRow, schedule oncall.Schedule, now time.Time) *nightbellv1.Schedule {
	message := &nightbellv1.Schedule{
		Id: row.ID.String(), Name: row.Name, Description: row.Description, TeamId: id.Text(row.TeamID), Team: reference(row.TeamID, row.Team),
		Timezone: row.Timezone, EscalationPolicyId: id.Text(row.EscalationPolicyID), EscalationPolicy: reference(row.EscalationPolicyID, row.Policy),
		Status: row.Status, CreatedAt: timestamppb.New(row.CreatedAt),
		OnCall: n.onCall(schedule, now),
	}
	for i := range row.UsedBy {
		message.UsedBy = append(message.UsedBy, reference(&row.UsedBy[i], row.UsedByNames[i]))
	}
	for _, rotation := range schedule.Rotations {
		message.Rotations = append(message.Rotations, n.rotation(rotation))
	}
	return message
}

func (n names) rotation(rotation oncall.Rotation) *nightbellv1.Rotation {
	message := &nightbellv1.Rotation{
		Id: rotation.ID.String(), Name: rotation.Name, Unit: string(rotation.Unit), Length: int32(rotation.Length),
		Handover: clockWord(rotation.Handover), Weekday: weekdayWord(rotation.Weekday), StartsAt: timestamppb.New(rotation.Start),
	}
	if !rotation.End.IsZero() {
		message.EndsAt = timestamppb.New(rotation.End)
	}
	for _, turn := range rotation.Turns {
		seat := &nightbellv1.Turn{}
		for _, person := range turn.People {
			seat.UserIds, seat.Users = append(seat.UserIds, person.String()), append(seat.Users, n.user(person))
		}
		message.Turns = append(message.Turns, seat)
	}
	for _, window := range rotation.Windows {
		message.Windows = append(message.Windows, windowMessage(window))
	}
	return message
}
