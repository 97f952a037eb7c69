package notify

import (
	"errors"
	"time"
)

// LongestWait caps what a provider may ask for with Retry-After.
const LongestWait = 10 * time.Minute

// What a channel says of a failure besides its text. An error without any of these is
// the contact's own and temporary: its address did not answer, or refused for now.
var (
	// ErrPermanent marks errors that trying again cannot fix.
	ErrPermanent = errors.New("permanent")
	// ErrInstallation marks errors of this installation (its mail server, its disk): they
	// say nothing about the contact.
	ErrInstallation = errors.New("the installation's own failure")
	// ErrRefused marks errors of a provider that has nothing against the address, but refuses what the message
	// says, or who sends it. It may take others: the pages of this one are tried again a few times, in smaller groups.
	ErrRefused = errors.New("refused")
	// ErrTurnedAway marks errors of a provider that refuses the address, perhaps for reasons of this installation or
	// of its own: the contact counts as dead at once, and its pages are kept, as those of a dead contact are.
	ErrTurnedAway = errors.New("turned away")
	// ErrUnknownOutcome marks errors after which the provider may have taken the message.
	ErrUnknownOutcome = errors.New("the outcome is not known")
)

// Permanent marks err with ErrPermanent. Like every failure of a channel, err's text is
// shown in the delivery log, so it must hold no secret.
func Permanent(err error) error { return marked{err, ErrPermanent} }

// Installation marks err with ErrInstallation.
func Installation(err error) error { return marked{err, ErrInstallation} }

// Refused marks err with ErrRefused.
func Refused(err error) error { return marked{err, ErrRefused} }

// TurnedAway marks err with ErrTurnedAway.
func TurnedAway(err error) error { return marked{err, ErrTurnedAway} }

// UnknownOutcome marks err with ErrUnknownOutcome.
func UnknownOutcome(err error) error { return marked{err, ErrUnknownOutcome} }

// marked is an error with the text of one error that also is another.
type marked struct {
	error

	mark error
}

func (m marked) Unwrap() []error { return []error{m.error, m.mark} }

// After marks err as one that a provider asked to wait out: trying again before
// wait has passed is not welcome. Wait is not negative.
func After(err error, wait time.Duration) error {
	return waitError{error: err, wait: max(0, wait)}
}

// RetryAfter returns how long the provider asked to wait; ok is false when it did
// not say.
func RetryAfter(err error) (wait time.Duration, ok bool) {
	var asked waitError
	if !errors.As(err, &asked) {
		return 0, false
	}
	return asked.wait, true
}

type waitError struct {
	error

	wait time.Duration
}

func (e waitError) Unwrap() error { return e.error }
