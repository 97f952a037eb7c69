package email

import (
	"net"
	"time"
)

// How long one step of a conversation may take (RFC 5321 section 4.5.3.2). A server that is cut off sooner
// after the end of the mail may have taken it, and gets another copy.
const (
	// firstWithin is ours: how long a page's first mail waits for a reply until the mail is handed over.
	// A server that hung and is back takes the next try at once, and no copy can come of it.
	firstWithin = 30 * time.Second
	// replyWithin is the same for later tries. Mail that pages nobody ends sooner, with its context.
	replyWithin = 5 * time.Minute
	// takenWithin is for the reply to the end of the mail.
	takenWithin = 10 * time.Minute
	// writeWithin is for each block of the mail.
	writeWithin = 3 * time.Minute
	// connectWithin is ours: who has not answered SYN by then takes no mail either.
	connectWithin = 30 * time.Second
)

// conversation is how long the next reply may take.
type conversation struct{ replyWithin time.Duration }

// patientConn gives each read and write its own time. Deadlines that go-mail sets for the
// whole conversation are ignored.
type patientConn struct {
	net.Conn

	talk *conversation
}

func (c patientConn) SetDeadline(time.Time) error { return nil }

func (c patientConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.talk.replyWithin)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c patientConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
