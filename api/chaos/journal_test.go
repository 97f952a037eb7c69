//go:build chaos

package chaos

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// journal is an append-only list of what happened, with the rig's one clock. It is
// written to out/ when the scenario ends.
type journal[T any] struct {
	mu      sync.Mutex
	entries []T
}

func newJournal[T any](t *testing.T, name string) *journal[T] {
	t.Helper()
	j := &journal[T]{}
	path := filepath.Join(outDir(t), name+".jsonl")
	t.Cleanup(func() {
		if err := j.write(path); err != nil {
			t.Errorf("keep the journal: %v", err)
		}
	})
	return j
}

func (j *journal[T]) add(entry T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry)
}

// all gives what was noted so far.
func (j *journal[T]) all() []T {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clip(j.entries)
}

func (j *journal[T]) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	encoder := json.NewEncoder(buffered)
	for _, entry := range j.all() {
		if err := encoder.Encode(entry); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// began is where the rig's clock starts; it only grows, whatever the wall clock does.
var began = time.Now()

func elapsed() time.Duration { return time.Since(began) }

// answered is one answer that a sender got; Key is the alert's.
type answered struct {
	At     time.Duration
	Took   time.Duration
	Tenant string
	Key    string
	Status int // 0: the connection broke
	// RetryAfter is whether a refusal said when to come again.
	RetryAfter bool
}

// acknowledgement is a person's answer that was accepted.
type acknowledgement struct {
	At         time.Duration
	IncidentID string
}

// crash is a moment at which something ended, froze or was set, so that a send may not
// have been recorded.
type crash struct {
	At   time.Duration
	What string
	// Process is the program that was killed or frozen; 0 is the database, whose loss hits them all.
	Process int
}

// received is one message that a provider got, whatever it answered.
type received struct {
	At         time.Duration
	Sender     int // the process that held the connection when it was made; 0 when that had ended at once
	Contact    string
	MessageID  string
	DeliveryID string
	Incidents  int
	Answer     string
}
