package email

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"time"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// Options say which mail server to use.
type Options struct {
	Host string
	// Port 465 speaks TLS from the first byte. On others TLS is demanded when
	// there is a password or the port is 587, and used elsewhere when it is offered.
	Port     int
	Username string
	Password string
	From     netmail.Address
	// TLS replaces how certificates are checked; nil means the system's way.
	TLS *tls.Config
}

// Server is the transport of an installation with a mail server.
type Server struct {
	options Options
	// connect opens a TCP connection.
	connect func(ctx context.Context, network, address string) (net.Conn, error)

	mu       sync.Mutex
	underWay map[*conversation]struct{}
}

// NewServer makes a transport. Nothing is dialed before the first Send.
func NewServer(options Options) *Server {
	return &Server{options: options, connect: (&net.Dialer{Timeout: connectWithin}).DialContext, underWay: map[*conversation]struct{}{}}
}

// Longest is how long one mail may take: the sum of what RFC 5321 section 4.5.3.2 gives
// each step.
const Longest = 30 * time.Minute

// Send renders the message and hands it over. It returns nil as soon as the server has taken the mail, whatever happens
// to the connection after that. Replies 5xx about the recipient's mailbox are permanent; everything else, refused
// passwords included, may be fixed and is worth another try.
func (s *Server) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	rendered, err := Render(message, s.options.From)
	return s.post(ctx, rendered, repliesWithin(message.Tries), err)
}

// SendNotice hands the notice over as Send does a page.
func (s *Server) SendNotice(ctx context.Context, notice notify.Notice) (notify.Receipt, error) {
	rendered, err := RenderNotice(notice, s.options.From)
	return s.post(ctx, rendered, longestReply, err)
}

func (s *Server) post(ctx context.Context, rendered Mail, reply time.Duration, err error) (notify.Receipt, error) {
	if err != nil {
		return notify.Receipt{}, err
	}
	answer, err := s.transmit(ctx, compose(rendered), rendered, reply)
	if err != nil {
		return notify.Receipt{}, err
	}
	return notify.Receipt{ProviderID: rendered.MessageID, Detail: notify.Line(answer, 200)}, nil
}

// compose builds the mail with the few headers that matter. go-mail encodes what
// is not ASCII and folds long lines, so no value can begin another header.
func compose(m Mail) *mail.Msg {
	letter := mail.NewMsg(mail.WithNoDefaultUserAgent())
	letter.FromMailAddress(&m.From)
	letter.ToMailAddress(&m.To)
	letter.Subject(m.Subject)
	letter.SetDateWithValue(m.SentAt)
	letter.SetMessageIDWithValue(m.MessageID)
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetGenHeader("X-Auto-Response-Suppress", "All")
	if len(m.Threads) > 0 {
		letter.SetGenHeaderPreformatted("References", "<"+strings.Join(m.Threads, ">\r\n <")+">")
	}
	if len(m.Threads) == 1 {
		letter.SetGenHeader("In-Reply-To", "<"+m.Threads[0]+">")
	}
	if m.Urgent {
		letter.SetImportance(mail.ImportanceHigh)
	}
	letter.SetBodyString(mail.TypeTextPlain, m.Text)
	letter.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	return letter
}

// goodbyeWithin is how long a server that has taken the mail may take to say goodbye.
const goodbyeWithin = 5 * time.Second

// transmit runs one SMTP conversation on a connection of its own, which ends with ctx, and gives the
// server's answer to the mail. Until the mail is handed over each reply may take as long as reply says.
func (s *Server) transmit(ctx context.Context, letter *mail.Msg, m Mail, reply time.Duration) (answer string, err error) {
	ctx, cancel := context.WithTimeout(ctx, Longest)
	defer cancel()
	talk := s.begin(m.To.Address, reply)
	defer s.end(talk)
	client, err := s.client(ctx, talk)
	if err != nil {
		return "", err
	}
	dialed, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return "", explainHandshake(ctx, err)
	}
	answer, err = offer(dialed, letter, m, talk)
	if err != nil {
		return "", explainSend(ctx, talk.reached(), err)
	}
	s.taken(talk)
	// The mail is the server's now; its goodbye is a courtesy.
	defer time.AfterFunc(goodbyeWithin, cancel).Stop()
	_ = dialed.Quit()
	return answer, nil
}

func (s *Server) begin(to string, reply time.Duration) *conversation {
	talk := &conversation{began: time.Now(), to: to, replyWithin: reply}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.underWay[talk] = struct{}{}
	return talk
}

func (s *Server) end(talk *conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.underWay, talk)
}

// taken ends what has waited long on connections that are older than one by which a mail was just taken.
func (s *Server) taken(by *conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for talk := range s.underWay {
		talk.overtaken(by)
	}
}

// step is a part of offering a mail.
type step int

const (
	namingSender step = iota // and what comes before it
	namingRecipient
	sendingMail
	endingMail
)

// offer gives the mail to the server. After a refusal go-mail's own Send asks for a reset, whose answer may
// never come; here the connection ends.
func offer(to *smtp.Client, letter *mail.Msg, m Mail, talk *conversation) (answer string, err error) {
	if err := to.Mail(bracketed(m.From)); err != nil {
		return "", err
	}
	talk.enter(namingRecipient)
	if err := to.Rcpt(bracketed(m.To)); err != nil {
		return "", err
	}
	talk.enter(sendingMail)
	body, err := to.Data()
	if err != nil {
		return "", err
	}
	if _, err := letter.WriteTo(body); err != nil {
		return "", err
	}
	talk.enter(endingMail)
	if err := body.Close(); err != nil {
		return "", err
	}
	if taken, ok := body.(*smtp.DataCloser); ok {
		answer = taken.ServerResponse()
	}
	return answer, nil
}

// bracketed is an address as SMTP wants it.
func bracketed(address netmail.Address) string {
	address.Name = ""
	return address.String()
}

// client prepares go-mail. The connection is dialed here, so that it is closed when
// ctx ends: go-mail would wait for its own deadline, and leaves a connection open
// whose handshake failed.
func (s *Server) client(ctx context.Context, talk *conversation) (*mail.Client, error) {
	options := []mail.Option{
		mail.WithPort(s.options.Port),
		mail.WithTimeout(Longest), // of no effect besides dialing: see patientConn
		mail.WithTLSPolicy(s.policy()),
		mail.WithTLSConfig(s.tls()),
		mail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			conn, err := s.dial(dialing, network, address, talk)
			if err == nil {
				context.AfterFunc(ctx, func() { _ = conn.Close() })
			}
			return conn, err
		}),
	}
	if s.options.Username != "" {
		options = append(options, mail.WithSMTPAuthCustom(&signIn{options: s.options}))
	}
	client, err := mail.NewClient(s.options.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("the mail server's settings cannot be used: %w", err)
	}
	return client, nil
}

func (s *Server) dial(ctx context.Context, network, address string, talk *conversation) (net.Conn, error) {
	conn, err := s.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn = patientConn{conn, talk}
	if s.options.Port != implicitPort {
		return conn, nil
	}
	encrypted := tls.Client(conn, s.tls())
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return encrypted, nil
}

const (
	implicitPort   = 465
	submissionPort = 587
)

func (s *Server) policy() mail.TLSPolicy {
	switch {
	case s.options.Port == implicitPort, s.loopbackRelay():
		return mail.NoTLS // it is encrypted already, or never leaves the machine
	case s.tlsDemanded():
		return mail.TLSMandatory
	default:
		return mail.TLSOpportunistic
	}
}

func (s *Server) tlsDemanded() bool {
	return s.options.Username != "" || s.options.Port == submissionPort || s.options.Port == implicitPort
}

// loopbackRelay is a server on this machine that wants no password.
func (s *Server) loopbackRelay() bool {
	ip := net.ParseIP(s.options.Host)
	return !s.tlsDemanded() && (s.options.Host == "localhost" || ip != nil && ip.IsLoopback())
}

func (s *Server) tls() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.options.TLS != nil {
		config = s.options.TLS.Clone()
	}
	config.ServerName = s.options.Host
	if !s.tlsDemanded() {
		// Where plain text would be accepted, encryption that nobody vouches for is
		// better than none (RFC 7435).
		config.InsecureSkipVerify = true
	}
	return config
}
