package email

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"

	"github.com/wneessen/go-mail"

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
func explainSend(ctx context.Context, err error) error {
	code, stage := 0, mail.SendErrReason(-1)
	if refused, ok := errors.AsType[*mail.SendError](err); ok {
		code, stage = refused.ErrorCode(), refused.Reason
	}
	said := notify.Line(withoutPrefix(err.Error()), 200)
	switch {
	case stage == mail.ErrSMTPMailFrom && code >= 400:
		return notify.Installation(fmt.Errorf("the mail server refused the sender NIGHTBELL_SMTP_FROM: %s", said))
	case code >= 500:
		return notify.Permanent(fmt.Errorf("the mail server refused the mail for good: %s", said))
	case stage == mail.ErrSMTPRcptTo && code >= 400:
		return fmt.Errorf("the mail server refused the recipient for now: %s", said)
	case code >= 400:
		return notify.Installation(fmt.Errorf("the mail server refused the mail for now: %s", said))
	case stage == mail.ErrSMTPDataClose:
		return notify.Installation(notify.UnknownOutcome(errors.New("the mail server got the whole mail and did not say that it took it")))
	case timedOut(ctx, err):
		return notify.Installation(errors.New("the mail server did not answer in time"))
	default:
		return notify.Installation(errors.New("the connection to the mail server broke before it took the mail"))
	}
}

func timedOut(ctx context.Context, err error) bool {
	network, isNetwork := errors.AsType[net.Error](err)
	return ctx.Err() != nil || isNetwork && network.Timeout()
}

// withoutPrefix leaves what the server said: go-mail puts its own words before it
// and the recipient and message id, which the log has anyway, after it.
func withoutPrefix(text string) string {
	text, _, _ = strings.Cut(text, ", affected ")
	if _, said, found := strings.Cut(text, ": "); found {
		text = said
	}
	return strings.ReplaceAll(text, `"`, "")
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
