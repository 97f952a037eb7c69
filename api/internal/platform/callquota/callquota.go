// Package callquota lets each caller make so many calls a minute in this process.
package callquota

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const (
	length = time.Minute
	// remembered bounds the memory; whoever is forgotten begins again.
	remembered = 1 << 14
)

// Quota counts the calls of one kind. It is safe for concurrent use.
type Quota struct {
	name, policy string
	most         int
	now          func() time.Time

	mu      sync.Mutex
	windows *lru.Cache[uuid.UUID, *window]
}

// window is the calls of one caller in one minute.
type window struct {
	ends  time.Time
	calls int
}

// New makes a quota of so many calls a minute. Its name is what answers call it; now is only
// compared with itself.
func New(name string, most int, now func() time.Time) *Quota {
	windows, _ := lru.New[uuid.UUID, *window](remembered) // fails for a negative size only
	return &Quota{name: name, policy: fmt.Sprintf(`%q;q=%d;w=%d`, name, most, int(length.Seconds())), most: most, now: now, windows: windows}
}

// Count counts a call and says in the headers of its answer what is left
// (draft-ietf-httpapi-ratelimit-headers-10). It fails with rate_limited beyond the quota.
func (q *Quota) Count(caller uuid.UUID, answer http.Header) error {
	left, resets := q.count(caller)
	seconds := int((resets + time.Second - 1) / time.Second)
	answer.Set("RateLimit-Policy", q.policy)
	answer.Set("RateLimit", fmt.Sprintf(`%q;r=%d;t=%d`, q.name, max(0, left), seconds))
	if left < 0 {
		return fault.Newf(fault.Limited, "rate_limited",
			"You have made more than %d calls in a minute. Wait for as long as Retry-After says, or do more with one call.", q.most).After(seconds)
	}
	return nil
}

// Spent refuses as Count does who has no call left, and counts nothing.
func (q *Quota) Spent(caller uuid.UUID, answer http.Header) error {
	q.mu.Lock()
	w, known := q.windows.Get(caller)
	left := !known || w.calls < q.most || !q.now().Before(w.ends)
	q.mu.Unlock()
	if left {
		return nil
	}
	return q.Count(caller, answer)
}

// GiveBack takes a call off that was counted and should not have been.
func (q *Quota) GiveBack(caller uuid.UUID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w, known := q.windows.Get(caller); known && w.calls > 0 {
		w.calls--
	}
}

func (q *Quota) count(caller uuid.UUID) (left int, resets time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := q.now()
	w, known := q.windows.Get(caller)
	if !known || !at.Before(w.ends) {
		w = &window{ends: at.Add(length)}
		q.windows.Add(caller, w)
	}
	w.calls++
	return q.most - w.calls, w.ends.Sub(at)
}
