package authrpc

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"
)

const (
	dana  = "dana@rockets.example"
	guess = "guess-guess-guess"
)

// expectWait checks how long the sign-ins before it had to wait.
func (w *world) expectWait(what string, least, most time.Duration) {
	w.t.Helper()
	if waited := w.waited(); waited < least || waited > most {
		w.t.Errorf("%s: waited %s, want %s to %s", what, waited, least, most)
	}
}

// TestFailuresBehindAProxyDelayTheRightPassword is the office, or the proxy, where everybody
// has one address: nobody is refused there because of somebody else's typing.
func TestFailuresBehindAProxyDelayTheRightPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Clock.Freeze(w.db.Clock.Now())
	w.join(dana)
	w.join("wei@rockets.example")
	for i := range 12 {
		expect(t, fmt.Sprintf("guess %d", i+1), w.anyone().login(dana, guess, ""), http.StatusUnauthorized, wrong)
	}
	w.expectWait("seven guesses beyond the free five", 6*time.Second, 7*time.Second)
	expect(t, "another account", w.anyone().login("wei@rockets.example", password, ""), http.StatusOK, "")
	w.expectWait("another account", 0, 0)
	expect(t, "the right password", w.anyone().login(dana, password, ""), http.StatusOK, "")
	w.expectWait("the right password", time.Second, longestWait)
	expect(t, "again", w.anyone().login(dana, password, ""), http.StatusOK, "")
	w.expectWait("after a success", 0, 0)
}

// TestStrangersCannotLockOutTheOnCall is the attack of SEC-AUT-04: strangers who know the
// on-call's address flood the sign-in, from many networks and also from the on-call's own.
func TestStrangersCannotLockOutTheOnCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Clock.Freeze(w.db.Clock.Now())
	w.join(dana)
	const home, device = "203.0.113.9", "danas-browser-0123456789"
	expect(t, "the on-call signs in once", w.from(home).login(dana, password, device), http.StatusOK, "")
	w.auth.sleep = func(context.Context, time.Duration) error { return nil } // all at the same time
	refused := 0
	for i := range 200 {
		if w.from(fmt.Sprintf("192.0.2.%d", i%20)).login(dana, guess, "").status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 95 { // 5 of each network are free, and 5 turns lie within the longest wait
		t.Errorf("%d of 200 guesses at once were refused, want 95", refused)
	}
	w.auth.sleep = w.sleep
	expect(t, "an unknown device, from home", w.from(home).login(dana, password, ""), http.StatusOK, "")
	w.expectWait("an unknown device, from home", 0, 0)

	w.auth.sleep = func(context.Context, time.Duration) error { return nil }
	for i := range 130 { // from the victim's own network, over many accounts, with invented devices
		w.from(home).login(fmt.Sprintf("user%d@rockets.example", i/4), guess, fmt.Sprintf("invented-device-%d", i))
	}
	for range 20 {
		w.from(home).login(dana, guess, "another-device-0123")
	}
	w.auth.sleep = w.sleep
	expect(t, "the known device", w.from(home).login(dana, password, device), http.StatusOK, "")
	expect(t, "and from a train", w.from("2001:db8::5").login(dana, password, device), http.StatusOK, "")
	w.expectWait("the known device", 0, 0)
	w.db.Clock.Advance(5 * time.Second)
	expect(t, "five seconds after the flood", w.from(home).login(dana, password, ""), http.StatusOK, "")
}

func TestAKnownDeviceWaitsAfterItsOwnFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Clock.Freeze(w.db.Clock.Now())
	w.join(dana)
	const device = "danas-browser-0123456789"
	expect(t, "login", w.anyone().login(dana, password, device), http.StatusOK, "")
	for range 7 {
		expect(t, "a typo", w.anyone().login(dana, "a typo, a typo", device), http.StatusUnauthorized, wrong)
	}
	w.expectWait("two typos beyond the free five", time.Second, 2*time.Second)
	expect(t, "login", w.anyone().login(dana, password, device), http.StatusOK, "")
}

// TestAnIPv6AssignmentIsOneNetwork: a /48 holds 65,536 networks of the usual size.
func TestAnIPv6AssignmentIsOneNetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Clock.Freeze(w.db.Clock.Now())
	w.join(dana)
	for i := range 5 {
		w.from(fmt.Sprintf("2001:db8:1:%x::1", i)).login(dana, guess, "")
	}
	w.expectWait("the free five", 0, 0)
	for i := range 5 {
		w.from(fmt.Sprintf("2001:db8:1:%x::1", i+5)).login(dana, guess, "")
	}
	w.expectWait("other /64s of the same /48", 4*time.Second, 5*time.Second)
	w.from("2001:db8:2::1").login(dana, guess, "")
	w.expectWait("another /48", 0, 0)
}

func TestOneNetworkGuessingAtManyAccountsWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.Clock.Freeze(w.db.Clock.Now())
	w.join(dana)
	w.limit(Limits{NetworkFailures: 6})
	for i := range 16 {
		expect(t, "a guess", w.anyone().login(fmt.Sprintf("user%d@rockets.example", i), guess, ""), http.StatusUnauthorized, wrong)
	}
	w.expectWait("ten guesses beyond the free six", 900*time.Millisecond, time.Second)
	expect(t, "the right password there", w.anyone().login(dana, password, ""), http.StatusOK, "")
	w.expectWait("the right password there", 0, 200*time.Millisecond)
	for range 20 { // a success takes back its own attempt only
		expect(t, "elsewhere", w.from("192.0.2.1").login(dana, password, ""), http.StatusOK, "")
	}
	w.expectWait("good sign-ins do not count", 0, 0)
}

func TestReplicasCountFailuresTogether(t *testing.T) {
	t.Parallel()
	one := newWorld(t)
	one.db.Clock.Freeze(one.db.Clock.Now())
	two := newReplica(t, one.db, cheapHashes)
	one.join(dana)
	for range 5 {
		one.anyone().login(dana, guess, "")
		two.anyone().login(dana, guess, "")
	}
	if waited := one.waited() + two.waited(); waited < 4*time.Second {
		t.Errorf("ten guesses at two replicas waited %s together, want at least 4 s", waited)
	}
}
