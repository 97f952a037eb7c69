package oncallrpc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/org"
)

// draft is a schedule as it is asked for: checked, and not stored yet.
type draft struct {
	oncall.Schedule

	description  string
	team, policy *uuid.UUID
}

func (d draft) status() string {
	if d.Active {
		return "active"
	}
	return "inactive"
}

// plan is what creating, updating and previewing a schedule have in common.
type plan interface {
	GetTimezone() string
	GetStatus() string
	GetRotations() []*nightbellv1.Rotation
}

// namedPlan is what creating and updating have besides.
type namedPlan interface {
	plan
	GetName() string
	GetDescription() string
	GetTeamId() string
	GetEscalationPolicyId() string
}

// read checks a request to create a schedule, or to update the one with the id.
func (w *work) read(ctx context.Context, scheduleID uuid.UUID, request namedPlan) (draft, error) {
	name, err := org.CleanName("name", request.GetName())
	if err != nil {
		return draft{}, err
	}
	description := strings.TrimSpace(request.GetDescription())
	if strings.ContainsRune(description, 0) {
		return draft{}, fault.InvalidField("description", fault.BadFormat, "Remove the control characters from the description.")
	}
	schedule, err := w.readPlan(ctx, scheduleID, request, id.New)
	if err != nil {
		return draft{}, err
	}
	schedule.Name = name
	asked := draft{schedule, description, id.Optional(request.GetTeamId()), id.Optional(request.GetEscalationPolicyId())}
	exist, err := w.References(ctx, asked.team, w.orgID, asked.policy)
	switch {
	case err != nil:
		return draft{}, err
	case !exist.Team:
		return draft{}, notFound("team_id", "Team not found")
	case !exist.Policy:
		return draft{}, notFound("escalation_policy_id", "Escalation policy not found")
	}
	return asked, nil
}

// readPlan reads zone, status and rotations of a request about the schedule with the id,
// Nil for a new one. newID gives ids to new rotations.
func (w *work) readPlan(ctx context.Context, scheduleID uuid.UUID, request plan, newID func() uuid.UUID) (oncall.Schedule, error) {
	zone, err := org.Zone("timezone", request.GetTimezone())
	if err != nil {
		return oncall.Schedule{}, err
	}
	schedule := oncall.Schedule{ID: scheduleID, Zone: zone, Active: request.GetStatus() != "inactive"}
	known, err := w.rotationStarts(ctx, scheduleID)
	if err != nil {
		return schedule, err
	}
	for i, asked := range request.GetRotations() {
		rotation, err := readRotation(fmt.Sprintf("rotations[%d].", i), asked, known, w.now)
		if err != nil {
			return schedule, err
		}
		if rotation.ID == uuid.Nil {
			rotation.ID = newID()
		}
		schedule.Rotations = append(schedule.Rotations, rotation)
	}
	if err := oncall.Validate(schedule); err != nil {
		return schedule, err
	}
	return schedule, w.checkPeople(ctx, schedule)
}

// rotationStarts is the rotations that a schedule has, with their beginnings.
func (w *work) rotationStarts(ctx context.Context, scheduleID uuid.UUID) (map[uuid.UUID]time.Time, error) {
	if scheduleID == uuid.Nil {
		return nil, nil
	}
	rows, err := w.ListRotationStarts(ctx, w.orgID, scheduleID)
	starts := make(map[uuid.UUID]time.Time, len(rows))
	for _, row := range rows {
		starts[row.ID] = row.StartsAt
	}
	return starts, err
}

// readRotation reads one rotation. What is known already keeps its id, and its beginning
// unless another one is asked for; it is taken out of known, so that it is named once.
func readRotation(path string, asked *nightbellv1.Rotation, known map[uuid.UUID]time.Time, now time.Time) (oncall.Rotation, error) {
	rotation := oncall.Rotation{
		Name: strings.TrimSpace(asked.GetName()), Unit: oncall.Unit(asked.GetUnit()), Length: int(asked.GetLength()),
		Handover: clockOf(asked.GetHandover()), Weekday: weekdayOf(asked.GetWeekday()), Start: now.Truncate(time.Second),
	}
	if asked.GetId() != "" {
		rotationID, _ := id.Parse(asked.GetId())
		start, exists := known[rotationID]
		if !exists {
			return rotation, notFound(path+"id", "This schedule has no such rotation. Leave the id empty for a new one.")
		}
		delete(known, rotationID)
		rotation.ID, rotation.Start = rotationID, start
	}
	var err error
	if asked.StartsAt != nil {
		if rotation.Start, err = instant(path+"starts_at", asked.GetStartsAt()); err != nil {
			return rotation, err
		}
	}
	if asked.EndsAt != nil {
		if rotation.End, err = instant(path+"ends_at", asked.GetEndsAt()); err != nil {
			return rotation, err
		}
	}
	for i, turn := range asked.GetTurns() {
		people, err := readPeople(fmt.Sprintf("%sturns[%d].user_ids", path, i), turn.GetUserIds())
		if err != nil {
			return rotation, err
		}
		rotation.Turns = append(rotation.Turns, oncall.Turn{People: people})
	}
	for _, window := range asked.GetWindows() {
		rotation.Windows = append(rotation.Windows, windowOf(window))
	}
	return rotation, nil
}

func readPeople(path string, texts []string) ([]uuid.UUID, error) {
	var people []uuid.UUID
	for i, text := range texts {
		person, ok := id.Parse(text)
		if !ok {
			return nil, noPerson(fmt.Sprintf("%s[%d]", path, i))
		}
		people = append(people, person)
	}
	return people, nil
}

func noPerson(path string) error {
	return notFound(path, "One of these people is not a member of your organization. Invite them first.")
}

// checkPeople refuses the first person who is not a member or cannot sign in any more.
func (w *work) checkPeople(ctx context.Context, schedule oncall.Schedule) error {
	members, err := w.members(ctx, schedule.People())
	if err != nil {
		return err
	}
	for i, rotation := range schedule.Rotations {
		for j, turn := range rotation.Turns {
			missing := slices.IndexFunc(turn.People, func(person uuid.UUID) bool { return !members[person] })
			if missing >= 0 {
				return noPerson(fmt.Sprintf("rotations[%d].turns[%d].user_ids[%d]", i, j, missing))
			}
		}
	}
	return nil
}

// members tells which of the people are members who can sign in.
func (w *work) members(ctx context.Context, people []uuid.UUID) (map[uuid.UUID]bool, error) {
	rows, err := w.ListNames(ctx, w.orgID, people)
	members := make(map[uuid.UUID]bool, len(rows))
	for _, row := range rows {
		members[row.ID] = row.Active
	}
	return members, err
}

// The years that schedules may speak of.
const (
	firstYear = 1970
	lastYear  = 2200
)

// instant reads a time to the second: calendars know no less.
func instant(path string, asked *timestamppb.Timestamp) (time.Time, error) {
	at := asked.AsTime().Truncate(time.Second)
	if at.Year() < firstYear || at.Year() > lastYear {
		return at, fault.InvalidField(path, fault.OutOfRange, fmt.Sprintf("Choose a time between the years %d and %d.", firstYear, lastYear))
	}
	return at, nil
}
