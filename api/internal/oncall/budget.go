package oncall

import "context"

// Budget bounds a search by counted work instead of by time, so that the same schedules
// get the same answer on every machine. A unit is one layer or override looked at for one
// instant. A nil Budget allows everything. One goroutine uses it.
type Budget struct {
	left    int
	stopped func() error
}

// NewBudget allows so many units of work, and none once ctx has ended.
func NewBudget(ctx context.Context, units int) *Budget { return &Budget{units, ctx.Err} }

// Share is a part of the budget: one of parts that are all the same size. What the part
// does not use stays with the whole.
func (b *Budget) Share(parts int, do func(*Budget)) {
	part := &Budget{b.left / max(parts, 1), b.stopped}
	before := part.left
	do(part)
	b.left -= before - max(part.left, 0)
}

// spend takes units from the budget. False means that the search must end here.
func (b *Budget) spend(units int) bool {
	if b == nil {
		return true
	}
	b.left -= units
	return b.left >= 0 && b.stopped() == nil
}
