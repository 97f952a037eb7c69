// Package idle leaves out the looks for work of parts that nobody uses.
package idle

import "sync/atomic"

// Rest leaves rounds of a loop out while there is nothing that they could find, so that what nobody
// uses costs nothing. Only the loop calls Skip and Begin; anybody may call Wake. The zero value does not rest.
type Rest struct {
	left  int
	woken atomic.Bool
}

// Wake ends the rest: the next round is not left out.
func (r *Rest) Wake() { r.woken.Store(true) }

// Begin leaves the next rounds out.
func (r *Rest) Begin(rounds int) { r.left = rounds }

// Skip reports whether this round is left out. One that is not ends the rest, also when it fails.
func (r *Rest) Skip() bool {
	if r.left > 0 && !r.woken.Swap(false) {
		r.left--
		return true
	}
	r.left = 0
	return false
}
