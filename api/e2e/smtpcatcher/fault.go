package smtpcatcher

import (
	"github.com/emersion/go-smtp"
)

// Moment is where in a conversation a fault happens.
type Moment string

// The moments. AfterData is the treacherous one: the mail was taken, the sender
// does not learn of it.
const (
	AtMail      Moment = "mail"
	AtRecipient Moment = "recipient"
	AtData      Moment = "data"
	AfterData   Moment = "after_data"
)

// Fault is one misbehaviour, used up by Times conversations (0 means once).
type Fault struct {
	At    Moment `json:"at"`
	Times int    `json:"times"`
	// Code is the SMTP reply: 4xx come back later, 5xx never.
	Code    int    `json:"code"`
	Message string `json:"message"`
	// Enhanced is the enhanced status code (RFC 3463); the general one of its class unless set.
	Enhanced smtp.EnhancedCode `json:"enhanced"`
	// Drop closes the connection instead of answering, Hang answers nothing.
	Drop bool `json:"drop"`
	Hang bool `json:"hang"`
}

// Fail adds faults; each waits for its moment.
func (c *Catcher) Fail(faults ...Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, fault := range faults {
		fault.Times = max(1, fault.Times)
		c.faults = append(c.faults, fault)
	}
}

// meet lets the next fault of this moment happen.
func (c *Catcher) meet(moment Moment, conn *smtp.Conn) error {
	fault, ok := c.next(moment)
	switch {
	case !ok:
		return nil
	case fault.Hang:
		<-c.hung
		return errDropped
	case fault.Drop:
		_ = conn.Conn().Close()
		return errDropped
	default:
		enhanced := fault.Enhanced
		if enhanced == smtp.EnhancedCodeNotSet {
			enhanced[0] = fault.Code / 100
		}
		return &smtp.SMTPError{
			Code:         fault.Code,
			EnhancedCode: enhanced,
			Message:      fault.Message,
		}
	}
}

func (c *Catcher) next(moment Moment) (Fault, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.faults {
		if c.faults[i].At != moment || c.faults[i].Times == 0 {
			continue
		}
		c.faults[i].Times--
		return c.faults[i], true
	}
	return Fault{}, false
}
