package email

import (
	"net"
	"sync"
	"time"
)

// How long one step of a conversation may take (RFC 5321 section 4.5.3.2). A server that is cut off sooner
// after the end of the mail may have taken it, and gets another copy.
const (
	// takenWithin is for the reply to the end of the mail.
	takenWithin = 10 * time.Minute
	// writeWithin is for each block of the mail.
	writeWithin = 3 * time.Minute
	// connectWithin is ours: who has not answered SYN by then takes no mail either.
	connectWithin = 30 * time.Second
)

// replies is how long each try of a page waits for a reply until the mail is handed over, the last one for all
// that follow. A server that hung and is back takes the next try at once, and no copy can come of an early end.
var replies = [...]time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute}

func repliesWithin(try int) time.Duration { return replies[min(max(try, 1), len(replies))-1] }

// longestReply is for mail that pages nobody, which ends sooner, with its context.
const longestReply = 5 * time.Minute

// conversation is one mail under way.
type conversation struct {
	began time.Time
	to    string

	mu sync.Mutex
	at step
	// replyWithin is how long the next reply may take, waitsSince when the wait for it began, over conn.
	replyWithin time.Duration
	waitsSince  time.Time
	conn        net.Conn
}

// enter begins a step of offering the mail.
func (c *conversation) enter(at step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at = at; at == endingMail {
		c.replyWithin = takenWithin
	}
}

func (c *conversation) reached() step {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// wait begins to wait for a reply.
func (c *conversation) wait(conn net.Conn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn, c.waitsSince = conn, time.Now()
	return conn.SetReadDeadline(c.waitsSince.Add(c.replyWithin))
}

// overtaken gives it no more patience than a first try has, because a mail that began later was taken: this
// connection is one of a server that hung. Where it waits for the word about another recipient, nothing is known.
func (c *conversation) overtaken(by *conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.began.Before(by.began) || c.at == endingMail || c.at == namingRecipient && c.to != by.to {
		return
	}
	c.replyWithin = min(c.replyWithin, replies[0])
	if c.conn != nil {
		_ = c.conn.SetReadDeadline(c.waitsSince.Add(c.replyWithin)) // fails on a closed connection only
	}
}

// patientConn gives each read and write its own time. Deadlines that go-mail sets for the
// whole conversation are ignored.
type patientConn struct {
	net.Conn

	talk *conversation
}

func (c patientConn) SetDeadline(time.Time) error { return nil }

func (c patientConn) Read(p []byte) (int, error) {
	if err := c.talk.wait(c.Conn); err != nil {
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
