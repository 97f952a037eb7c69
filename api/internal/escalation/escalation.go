// Package escalation decides who is paged next and when, as a pure function of a
// snapshot and a time. Nothing here reads a clock, a database or randomness, and
// nothing starts a goroutine (design section 2, rule 4).
//
// Decide in decide.go is called by the sweeper for every incident that is due and
// when an incident opens (Start), Rise in rise.go when an incident becomes
// more severe; Foresee in foresee.go calls the same to tell what would happen. What a
// decision keeps while it goes through the steps is in walk.go. Policy.At in policy.go
// asks oncall whom a schedule means at an instant.
// Neighbours: oncall (who a schedule means at an instant), notify (how a person is
// reached).
package escalation

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// Policy is who is paged in which order.
type Policy struct {
	ID   uuid.UUID
	Name string
	// Repeats is how often the steps start again when nobody answered.
	Repeats int
	// AckTimeout is after how long an acknowledged incident pages again; zero is never.
	AckTimeout time.Duration
	// AutoResolve is after how long without news an incident is resolved; zero is never.
	AutoResolve time.Duration
	// Zone is that of the steps' windows; nil is UTC.
	Zone *time.Location
	// NextTurn is the place in the round robin of the next incident.
	NextTurn int
	// Revision counts the edits of the policy.
	Revision int
	Steps    []Step
	// LastResort is paged when nobody answered, or when no step means anybody. While it
	// has no targets that mean somebody, the owners are.
	LastResort Step
	// NoLastResort is set when the policy wants nobody as the last resort.
	NoLastResort bool
	// Quiet says for which incidents, and when, the policy pages nobody.
	Quiet []Quiet
	// Flaw is what of the policy could not be read, for the log; it pages nevertheless.
	Flaw error
}

// Quiet is when a policy pages nobody.
type Quiet struct {
	// Severities are those that it is for; none means all.
	Severities []alert.Severity
	// Windows are its hours; none means always.
	Windows []oncall.Window
}

// Step is paged at once and waits Delay for an answer before the next one is due.
type Step struct {
	// ID stays the same when the policy is edited, wherever the step moves.
	ID uuid.UUID
	// ChangedIn is the revision of the policy in which the step was added, or in which it
	// last changed whom it pages.
	ChangedIn int
	Delay     time.Duration
	Targets   []Target
	// RoundRobin pages one of the targets, in turns, instead of everyone.
	RoundRobin bool
	// Severities are those that the step is for; none means all.
	Severities []alert.Severity
	// Windows are when the step pages; none means always.
	Windows []oncall.Window
}

// Target is one line of a step.
type Target struct {
	Kind TargetKind
	// ID is that of the user, schedule, team or shared channel.
	ID uuid.UUID
	// Name is for the timeline: "24/7 Support".
	Name string
	// People are who the target means; empty when it means nobody. Policy.At fills it for
	// schedules.
	People []uuid.UUID
	// Channel is a shared contact method that can be used; Nil for targets that mean people.
	Channel uuid.UUID
	// ChannelKind is what sort of contact method Channel is, as notify.Kind has it.
	ChannelKind string
	// Schedule is what a schedule target asks; nil for the others.
	Schedule *oncall.Schedule
	// Because is what of the schedule decided; Policy.At fills it.
	Because oncall.Source
	// shift is when Because began and ends, once somebody has asked.
	shift *askedShift
	// unreachable is set when all whom it means have no usable contact method.
	unreachable bool
}

// TargetKind is what a target names.
type TargetKind string

// The kinds of targets. Owner is never part of a policy: it is the last resort.
const (
	User     TargetKind = "user"
	Schedule TargetKind = "schedule"
	Team     TargetKind = "team"
	Channel  TargetKind = "channel"
	Owner    TargetKind = "owner"
)

// Status is where the paging of an incident stands.
type Status string

// The statuses of paging.
const (
	Active    Status = "active"    // the next step is due at NextDueAt
	Stopped   Status = "stopped"   // somebody answered, or the incident was resolved
	Exhausted Status = "exhausted" // every step of every round was paged
)

// State is what is stored between decisions.
type State struct {
	// Cycle counts how often paging began for this incident, from 1.
	Cycle int
	// Round counts repeats of the policy, from 0.
	Round int
	// Passed are the steps that this round has paged or skipped, LastResortID among them.
	// The first step of the policy that is not one of them is paged at NextDueAt. The last
	// resort stays among them in later rounds of the cycle.
	Passed []uuid.UUID
	// Revision is that of the policy when the round began.
	Revision int
	// Turn is the incident's place in the round robin of its policy.
	Turn   int
	Status Status
	// NextDueAt is zero unless Active.
	NextDueAt time.Time
	// OwnDueAt is when the step that was hurried is due by itself (Hurry): a step that pages nobody before is
	// asked again then. Zero when none was.
	OwnDueAt time.Time
	// HeldBy is the maintenance that NextDueAt waits for, or HeldByQuiet; Nil when it is the
	// step's time.
	HeldBy uuid.UUID
	// Reason says in words why it is not active.
	Reason string
	// Severity is the worst with which anybody was paged for the incident, in any cycle, or
	// the lower one that somebody has given it since (Lower); empty while nobody was paged.
	Severity alert.Severity
}

// LastResortID stands for the last resort among the steps that a round has passed.
var LastResortID = uuid.Max

// EarlierCycle is the Round of those who were paged in the last cycle that paged anybody, while the one
// under way has paged nobody.
const EarlierCycle = -1

// Paged is one person or shared channel that was paged in the cycle under way.
type Paged struct {
	// Round is that of the page, or EarlierCycle.
	Round int
	// Kind is PagePerson or PageChannel, and ID the user or the contact method.
	Kind EffectKind
	ID   uuid.UUID
	// ChannelKind is Target.ChannelKind for PageChannel.
	ChannelKind string
	// AsOwner is set for an owner whom only the last resort reaches.
	AsOwner bool
	// Asked is set for whoever was asked last, in that cycle, to acknowledge the severity that it has now.
	Asked bool
}

// Snapshot is all that a decision depends on, besides the time.
type Snapshot struct {
	State State
	// Policy is as it stands at the time of the decision (Policy.At).
	Policy Policy
	// Paged are who was paged in this cycle, or in the last one before it while it has paged
	// nobody; it is looked at only when NeedsPaged.
	Paged []Paged
	// Unreached is set when every page of this cycle failed, or waits for a failing contact; it is
	// looked at only when NeedsReached.
	Unreached bool
	// Owners are the last resort of policies that name no other.
	Owners []uuid.UUID
	// Severity is the incident's.
	Severity alert.Severity
	// Hold is the maintenance under way for the incident's service; zero when there is none.
	Hold Hold
}

// Effect is something that the decision wants done.
type Effect struct {
	Kind EffectKind
	// Round and Step are the ones the effect belongs to, from 0; StepID is the step's.
	Round, Step int
	StepID      uuid.UUID
	// Rise is the severity of which the page tells, when it is for that and for no step.
	Rise alert.Severity
	// UserID is set for PagePerson, ContactMethodID for PageChannel.
	UserID          uuid.UUID
	ContactMethodID uuid.UUID
	// ChannelKind is Target.ChannelKind for PageChannel.
	ChannelKind string
	// Message is for the timeline. For pages it is the sentence of Why.
	Message string
	// Why is set for PagePerson and PageChannel.
	Why Why
}

// EffectKind is what sort of effect it is.
type EffectKind string

// The effects.
const (
	PagePerson   EffectKind = "page_person"
	PageChannel  EffectKind = "page_channel"
	NobodyOnCall EffectKind = "nobody_on_call" // a step meant nobody and was skipped
	StepSkipped  EffectKind = "step_skipped"   // a step is for other severities or hours and was skipped
	LastResort   EffectKind = "last_resort"    // the last resort is paged
	Escalated    EffectKind = "escalated"      // a step is paged because nobody answered the one before
	PagesNobody  EffectKind = "pages_nobody"   // the policy wants nobody paged
	PagesHeld    EffectKind = "held"           // maintenance or a quiet time puts the step off
	RanOut       EffectKind = "exhausted"      // nothing follows
)

// Pages reports whether the effect pages somebody.
func (e Effect) Pages() bool { return e.Kind == PagePerson || e.Kind == PageChannel }

// Key is the effect's identity for one contact method of an incident. It is unique
// in the database, so that deciding twice cannot page twice. What rises again after somebody lowered
// it is told again, so a rise has its time; whoever decides it holds the incident, and notes it.
func (e Effect) Key(incident uuid.UUID, cycle int, contact uuid.UUID, n int) string {
	place := fmt.Sprintf("%d.%s", e.Round, e.StepID)
	if e.Rise != "" {
		place = fmt.Sprintf("%s/%d", e.Rise, e.Why.DecidedAt.UnixMicro())
	}
	return fmt.Sprintf("%s/%d/%s/%s/%d", incident, cycle, place, contact, n)
}
