package notify

import "time"

// How long a page is tried. It is worth delivering for as long as nobody has
// answered, so the bound is generous: at one try a minute it only ends what is broken.
const (
	// MaxAge ends trying once LateAttempts were made, too. Attempts alone do not: a page that
	// waits for the mail server comes along with each new one of a storm.
	MaxAge = 2 * time.Hour
	// LateAttempts is what a page that is already old still gets after downtime:
	// about six minutes of trying.
	LateAttempts = 10
	// LateAge is those six minutes.
	LateAge = 6 * time.Minute
	// MostFaults is how many tries end a page that keeps failing by our own mistake. After so many refusals, the last of
	// them of that page alone, the next step waits for it no longer, and it is tried each minute for MaxAge.
	MostFaults = 5
	// UnknownAttempts ends trying by e-mail when the provider may have taken the message that often:
	// an unknown outcome is retried once.
	UnknownAttempts = 2
	// UnknownWait is how long that waits: it is the last try, so what lost the answer should be over.
	UnknownWait = 30 * time.Second
	// UnknownFor is how long unknown outcomes leave a contact alive: what closes connections for longer takes nothing.
	UnknownFor = 5 * time.Minute
	// ProbeAfter is how many tries to a contact fail in a row until it is tried with one page
	// at a time, and a round that reached nobody else is followed by the last resort.
	ProbeAfter = 3
	// DeadAfter is the count of failures of a contact that is dead: a step of a policy that
	// reaches nobody else waits for it no longer. It takes DeadFor, see Failures.
	DeadAfter = 6
	// DeadFor is how long a contact fails before that: a restart takes seconds.
	DeadFor = time.Minute
	// MostBackoff is the longest that Backoff asks for.
	MostBackoff = 72 * time.Second
	// SlotWait is how long a due page waits for a send slot until the person's next contact
	// method is used, too: as long as a send may take. The page keeps its place in the queue,
	// so each planned page is still sent once.
	SlotWait = 8 * time.Second
)

// WaitUntil is until when a page waits for its contact to answer again. The contact is
// tried meanwhile, and answers for all the pages that wait.
func WaitUntil(firstDue, now time.Time) time.Time {
	end, late := firstDue.Add(MaxAge), now.Add(LateAge)
	if late.After(end) {
		return late
	}
	return end
}

// Failures counts one more failed try of a contact that has been failing since then, after so many before. The count
// stays below DeadAfter until DeadFor has passed, and jumps to it with the next failure: so one number says that a
// contact is dead. An unknown outcome makes no contact dead for UnknownFor, because the message may have arrived.
func Failures(before int, since, now time.Time, unknown bool) int {
	switch count := before + 1; {
	case unknown && now.Sub(since) < UnknownFor, now.Sub(since) < DeadFor:
		return max(before, min(count, DeadAfter-1))
	case count >= ProbeAfter:
		return max(count, DeadAfter)
	default:
		return count
	}
}

// waits are the delays after the first tries; the last one repeats.
var waits = []time.Duration{2 * time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute}

// Backoff is how long to wait after attempt failed, counted from 1: 2, 5, 15, 30 and
// then 60 seconds, each 20 % more or less. The same attempt and seed give the same
// wait; different seeds keep many failed pages from coming back at once.
func Backoff(attempt int, seed uint64) time.Duration {
	wait := waits[min(max(attempt, 1), len(waits))-1]
	span := uint64(wait) / 5 * 2
	return wait - time.Duration(span/2) + time.Duration(scramble(seed+uint64(attempt))%(span+1))
}

// MostContactWait is the longest that a contact is put off after it failed. A mail server cannot ask for a wait.
func MostContactWait(kind Kind) time.Duration {
	if kind == Email {
		return MostBackoff
	}
	return LongestWait
}

// Retry says when to try again after attempt (counted from 1) failed at now, or that
// it is time to give up and say so. FirstDue is when the page was due at first.
func Retry(attempt int, firstDue, now time.Time, seed uint64) (next time.Time, giveUp bool) {
	if attempt >= LateAttempts && now.Sub(firstDue) >= MaxAge {
		return time.Time{}, true
	}
	return now.Add(Backoff(attempt, seed)), false
}

// RetryRefused is Retry after so many refusals. A quota is over in a while, whatever the refusals were, and only what was
// refused alone can be at fault itself.
func RetryRefused(refusals int, alone bool, firstDue, now time.Time, seed uint64) (next time.Time, giveUp bool) {
	if next, giveUp = Retry(refusals, firstDue, now, seed); giveUp && !alone {
		return now.Add(Backoff(refusals, seed)), false
	}
	return next, giveUp
}

// RetryUnknown is Retry after so many unknown outcomes of a message that people would read twice. A second copy of a
// mail is enough. In a channel one every ten minutes is cheaper than no page, until it is too old (giveUp).
func RetryUnknown(kind Kind, unknowns int, now time.Time, giveUp bool) (time.Time, bool) {
	switch {
	case unknowns < UnknownAttempts:
		return now.Add(UnknownWait), false
	case kind == Email:
		return time.Time{}, true
	default:
		return now.Add(LongestWait), giveUp
	}
}

// MostUnknownWait is the longest that RetryUnknown asks for: until then a page comes along with no other message.
func MostUnknownWait(kind Kind) time.Duration {
	if kind == Email {
		return UnknownWait
	}
	return LongestWait
}

// scramble is the finalizer of SplitMix64: neighbouring seeds give unrelated numbers.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
