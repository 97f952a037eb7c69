// Package fairshare divides what is finite, such as memory, between organizations.
package fairshare

import "sync"

// Pool is a number of units that organizations take and give back. An organization may
// hold as many as are left free: alone it gets half of all, n greedy ones get 1/(n+1) each,
// and whoever comes next still finds room. K is the key of an organization. It is safe for concurrent use.
type Pool[K comparable] struct {
	mu    sync.Mutex
	free  int
	taken map[K]int
}

// New makes a pool of total units, all free.
func New[K comparable](total int) *Pool[K] { return &Pool[K]{free: total, taken: map[K]int{}} }

// Take takes n units for the organization and reports whether its share had room for
// them. Nothing is taken otherwise.
func (p *Pool[K]) Take(orgID K, n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[orgID]+n > p.free-n {
		return false
	}
	p.taken[orgID] += n
	p.free -= n
	return true
}

// IsOwnDoing reports whether the organization could take n units if it had none: who is
// refused them then has used up its own share.
func (p *Pool[K]) IsOwnDoing(orgID K, n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return n <= p.free+p.taken[orgID]-n
}

// Return gives back n units that the organization took.
func (p *Pool[K]) Return(orgID K, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += n
	if p.taken[orgID] -= n; p.taken[orgID] == 0 {
		delete(p.taken, orgID)
	}
}
