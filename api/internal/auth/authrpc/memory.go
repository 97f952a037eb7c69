package authrpc

import (
	"sync"
	"time"
)

// memorySize is how many answers are kept at most.
const memorySize = 10_000

// memory keeps answers of the database for a moment, so that a screen that loads
// does not ask the same thing ten times. It is safe for concurrent use.
type memory[K comparable, V any] struct {
	life time.Duration

	mu    sync.Mutex
	kept  map[K]remembered[V]
	epoch int
}

type remembered[V any] struct {
	value V
	asked time.Time
}

func newMemory[K comparable, V any](life time.Duration) *memory[K, V] {
	return &memory[K, V]{life: life, kept: map[K]remembered[V]{}}
}

// recall returns what is remembered, however old.
func (m *memory[K, V]) recall(key K) (value V, asked time.Time, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.kept[key]
	return known.value, known.asked, ok
}

// young returns what is remembered and may be believed.
func (m *memory[K, V]) young(key K, now time.Time) (value V, ok bool) {
	value, asked, ok := m.recall(key)
	return value, ok && now.Sub(asked) < m.life && !now.Before(asked)
}

// get returns what is remembered, or asks; with refresh it always asks. What was asked for before a forget is
// returned but not kept, because it may be the state from before.
func (m *memory[K, V]) get(key K, now time.Time, refresh bool, ask func() (V, error)) (V, error) {
	m.mu.Lock()
	epoch := m.epoch
	m.mu.Unlock()
	if value, ok := m.young(key, now); ok && !refresh {
		return value, nil
	}
	value, err := ask()
	if err != nil {
		return value, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.epoch == epoch {
		if len(m.kept) >= memorySize {
			clear(m.kept)
		}
		m.kept[key] = remembered[V]{value, now}
	}
	return value, nil
}

// forget makes the next get ask again.
func (m *memory[K, V]) forget(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.kept, key)
	m.epoch++
}

// forgetIf is forget for whatever holds.
func (m *memory[K, V]) forgetIf(holds func(V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, known := range m.kept {
		if holds(known.value) {
			delete(m.kept, key)
		}
	}
	m.epoch++
}
