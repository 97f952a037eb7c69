package oncalldb

import (
	"context"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// WriteRotations stores the rotations of a schedule in their order, and removes the
// others. Whoever reads meanwhile sees all as it was or all as it is.
func (q *Queries) WriteRotations(ctx context.Context, orgID uuid.UUID, schedule oncall.Schedule) error {
	keep := make([]uuid.UUID, len(schedule.Rotations))
	for i, rotation := range schedule.Rotations {
		keep[i] = rotation.ID
	}
	if err := q.DeleteRotations(ctx, orgID, schedule.ID, keep); err != nil {
		return err
	}
	for position, rotation := range schedule.Rotations {
		if err := q.writeRotation(ctx, orgID, schedule.ID, position, rotation); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queries) writeRotation(ctx context.Context, orgID, scheduleID uuid.UUID, position int, r oncall.Rotation) error {
	err := q.PutRotation(ctx, PutRotationParams{
		OrgID: orgID, ID: r.ID, ScheduleID: scheduleID, Position: int32(position), Name: r.Name,
		Unit: string(r.Unit), Length: int32(r.Length), Turns: int32(len(r.Turns)),
		Handover: int32(r.Handover), Weekday: int32(r.Weekday),
		StartsAt: r.Start, EndsAt: postgres.Null(r.End), Windows: StoreWindows(r.Windows),
	})
	if err != nil {
		return err
	}
	if err := q.DeletePeople(ctx, orgID, r.ID); err != nil {
		return err
	}
	seats := InsertPeopleParams{OrgID: orgID, RotationID: r.ID}
	for turn := range r.Turns {
		for place, person := range r.Turns[turn].People {
			seats.Turns, seats.Positions = append(seats.Turns, int32(turn)), append(seats.Positions, int32(place))
			seats.UserIds = append(seats.UserIds, person)
		}
	}
	return q.InsertPeople(ctx, seats)
}
