package email

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"regexp"
	"strings"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// explainHandshake turns what went wrong before the mail was offered into a
// sentence. None of it is about this mail or its recipient.
func explainHandshake(ctx context.Context, err error) error {
	return notify.Installation(handshakeSentence(ctx, err))
}

func handshakeSentence(ctx context.Context, err error) error {
	var reply *textproto.Error
	var lookup *net.DNSError
	switch {
	case timedOut(ctx, err):
		return errors.New("the mail server did not answer in time")
	case errors.As(err, &reply):
		return fmt.Errorf("the mail server refused the connection: %s", replyText(reply))
	case errors.As(err, &lookup):
		return errors.New("the mail server's name cannot be resolved")
	case isCertificate(err):
		return fmt.Errorf("the mail server's certificate is not trusted: %s", notify.Line(err.Error(), 200))
	case strings.Contains(err.Error(), "STARTTLS"):
		return errors.New("the mail server offers no STARTTLS, and a password is never sent in plain")
	default:
		return fmt.Errorf("the mail server cannot be reached: %s", notify.Line(err.Error(), 200))
	}
}

// explainSend turns what went wrong with the mail itself into a sentence, and
// marks the answers that another try cannot change.
func explainSend(ctx context.Context, at step, err error) error {
	code, said := 0, ""
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		code, said = reply.Code, replyText(reply)
	}
	switch {
	case at == namingSender && code >= 400:
		return notify.Installation(fmt.Errorf("the mail server refused the sender NIGHTBELL_SMTP_FROM: %s", said))
	case code >= 500 && aboutMailbox.MatchString(said):
		return notify.Permanent(fmt.Errorf("the mail server refused the mail for good: %s", said))
	case code >= 500 && at == namingRecipient: // Postfix refuses clients, senders and relaying here, Exim with the code of an unknown mailbox
		return notify.TurnedAway(fmt.Errorf("the mail server refused the recipient: %s", said))
	case code >= 500: // by a quota, a rule about content, an unconfirmed sender
		return notify.Installation(notify.Refused(fmt.Errorf("the mail server refused the mail: %s", said)))
	case at == namingRecipient && code >= 400 && !aboutServer.MatchString(said):
		return fmt.Errorf("the mail server refused the recipient for now: %s", said)
	case code >= 400:
		return notify.Installation(fmt.Errorf("the mail server refused the mail for now: %s", said))
	case at == endingMail:
		return notify.Installation(notify.UnknownOutcome(errors.New("the mail server got the whole mail and did not say that it took it")))
	case timedOut(ctx, err):
		return notify.Installation(errors.New("the mail server did not answer in time"))
	default:
		return notify.Installation(errors.New("the connection to the mail server broke before it took the mail"))
	}
}

// aboutMailbox is an enhanced status code (RFC 3463 sections 3.2 and 3.3) about the recipient's address or a
// mailbox that is disabled or full, after the reply's code. Others of these classes are about the sender or the mail.
var aboutMailbox = regexp.MustCompile(`^\d{3} 5\.(1\.(1|2|3|6|10)|2\.[12])\b`)

// aboutServer is a reply for now that is about the mail server, whatever it answers: it closes the connection, or
// its own system fails (class 3), such as what it looks recipients up in.
var aboutServer = regexp.MustCompile(`^(421\b|4\d\d 4\.3\.)`)

func timedOut(ctx context.Context, err error) bool {
	network, isNetwork := errors.AsType[net.Error](err)
	return ctx.Err() != nil || isNetwork && network.Timeout()
}

func replyText(reply *textproto.Error) string {
	return notify.Line(fmt.Sprintf("%d %s", reply.Code, reply.Msg), 200)
}

func isCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host)
}
