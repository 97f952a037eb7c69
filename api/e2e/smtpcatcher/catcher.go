// Package smtpcatcher is a mail server for tests: it keeps every mail in memory,
// shows them as JSON, and misbehaves on request the way real servers do.
//
// Start one in a test, or run cmd/smtpcatcher for a whole story.
package smtpcatcher

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Options say what kind of server to be. The zero value accepts anything in plain.
type Options struct {
	// Address is where to listen; empty means a free port of the loopback.
	Address string
	// TLS offers STARTTLS, or speaks TLS from the first byte with Implicit.
	TLS      *tls.Config
	Implicit bool
	// Username and Password, when set, are demanded before any mail.
	Username, Password string
}

// Catcher is a running server. Its methods are safe for concurrent use.
type Catcher struct {
	server   *smtp.Server
	listener net.Listener
	options  Options

	mu      sync.Mutex
	mails   []Mail
	faults  []Fault
	arrived chan struct{}
	hung    chan struct{}
}

// Start listens and serves until Close.
func Start(options Options) (*Catcher, error) {
	if options.Address == "" {
		options.Address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", options.Address)
	if err != nil {
		return nil, err
	}
	c := &Catcher{listener: listener, options: options, arrived: make(chan struct{}), hung: make(chan struct{})}
	c.server = smtp.NewServer(smtp.BackendFunc(func(conn *smtp.Conn) (smtp.Session, error) {
		return &session{catcher: c, conn: conn}, nil
	}))
	c.server.Domain = "catcher.test"
	c.server.EnableSMTPUTF8 = true
	c.server.MaxMessageBytes = 16 << 20
	c.server.ErrorLog = silent{}
	if options.Implicit {
		listener = tls.NewListener(listener, options.TLS)
	} else {
		c.server.TLSConfig = options.TLS
	}
	go func() { _ = c.server.Serve(listener) }()
	return c, nil
}

// Close stops the server and whoever hangs in it.
func (c *Catcher) Close() error {
	c.mu.Lock()
	select {
	case <-c.hung:
	default:
		close(c.hung)
	}
	c.mu.Unlock()
	return c.server.Close()
}

// Host and Port are where it listens.
func (c *Catcher) Host() string { return c.listener.Addr().(*net.TCPAddr).IP.String() }

// Port is where it listens.
func (c *Catcher) Port() int { return c.listener.Addr().(*net.TCPAddr).Port }

// Mails returns what has arrived so far, oldest first.
func (c *Catcher) Mails() []Mail {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Mail{}, c.mails...)
}

// Await waits until n mails have arrived, and returns them; false when they did
// not within the limit.
func (c *Catcher) Await(n int, limit time.Duration) ([]Mail, bool) {
	deadline := time.After(limit)
	for {
		c.mu.Lock()
		mails, arrived := append([]Mail{}, c.mails...), c.arrived
		c.mu.Unlock()
		if len(mails) >= n {
			return mails, true
		}
		select {
		case <-arrived:
		case <-deadline:
			return mails, false
		}
	}
}

// Clear forgets all mails and faults.
func (c *Catcher) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mails, c.faults = nil, nil
}

func (c *Catcher) keep(mail Mail) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mails = append(c.mails, mail)
	close(c.arrived)
	c.arrived = make(chan struct{})
}

// ServeHTTP answers GET /mails with everything caught (as JSON, ?after=N leaves
// out the first N), DELETE /mails forgets it, and POST /faults adds faults.
func (c *Catcher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method + " " + r.URL.Path {
	case "GET /mails":
		mails := c.Mails()
		after, _ := strconv.Atoi(r.URL.Query().Get("after"))
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(mails[max(0, min(after, len(mails))):]); err != nil {
			panic(http.ErrAbortHandler)
		}
	case "DELETE /mails":
		c.Clear()
		w.WriteHeader(http.StatusNoContent)
	case "POST /faults":
		var faults []Fault
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&faults); err != nil {
			http.Error(w, "expected a JSON list of faults", http.StatusBadRequest)
			return
		}
		c.Fail(faults...)
		w.WriteHeader(http.StatusNoContent)
	default:
		http.NotFound(w, r)
	}
}

// session is one client's conversation.
type session struct {
	catcher    *Catcher
	conn       *smtp.Conn
	signedIn   bool
	from       string
	recipients []string
}

// AuthMechanisms lists what a client may sign in with.
func (s *session) AuthMechanisms() []string {
	if s.catcher.options.Username == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth checks the demanded name and password.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != s.catcher.options.Username || password != s.catcher.options.Password {
			return smtp.ErrAuthFailed
		}
		s.signedIn = true
		return nil
	}), nil
}

// Mail begins a mail.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.catcher.options.Username != "" && !s.signedIn {
		return smtp.ErrAuthRequired
	}
	s.from, s.recipients = from, nil
	return s.catcher.meet(AtMail, s.conn)
}

// Rcpt adds a recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.recipients = append(s.recipients, to)
	return s.catcher.meet(AtRecipient, s.conn)
}

// Data takes the mail.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.catcher.meet(AtData, s.conn); err != nil {
		return err
	}
	_, encrypted := s.conn.TLSConnectionState()
	mail, err := Parse(raw)
	if err != nil {
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "this is not a mail: " + err.Error()}
	}
	mail.From, mail.Recipients, mail.Encrypted, mail.ReceivedAt = s.from, s.recipients, encrypted, time.Now()
	s.catcher.keep(mail)
	return s.catcher.meet(AfterData, s.conn)
}

// Reset ends a mail.
func (s *session) Reset() { s.from, s.recipients = "", nil }

// Logout ends the conversation.
func (s *session) Logout() error { return nil }

type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

var errDropped = errors.New("the connection was dropped on purpose")
