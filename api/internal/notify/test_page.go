package notify

import "time"

// The words of a test page, in every channel.
const (
	TestPageSubject = "[Test] Nightbell reaches you here"
	TestNote        = "This is a test that you asked for. Nobody else was told, and there is nothing to acknowledge."
)

const (
	// TestPagesAtMost is how many test pages a person may send in TestPagesWithin.
	TestPagesAtMost = 30
	// TestPagesWithin is the time in which they are counted.
	TestPagesWithin = 10 * time.Minute
)

// TestLead says in one sentence that it arrived.
func (m Message) TestLead() string {
	return "Pages for " + Line(m.OrgName, maxName) + " reach you here: " + Line(m.To.Name, maxName) + "."
}
