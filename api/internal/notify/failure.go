package notify

import (
	"errors"
	"time"
)

// LongestWait caps what a provider may ask for with Retry-After.
const LongestWait = 10 * time.Minute

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
