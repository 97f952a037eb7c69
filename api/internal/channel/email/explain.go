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
// sentence. None of it is about this mail, so another try may succeed.
func explainHandshake(ctx context.Context, err error) error {
	var reply *textproto.Error
	var lookup *net.DNSError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the mail server did not answer in time: %w", ctx.Err())
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
	code := 0
	if refused, ok := errors.AsType[*mail.SendError](err); ok {
		code = refused.ErrorCode()
	}
	said := notify.Line(withoutPrefix(err.Error()), 200)
	switch {
	case code >= 500:
		return notify.Permanent(fmt.Errorf("the mail server refused the mail for good: %s", said))
	case code >= 400:
		return fmt.Errorf("the mail server refused the mail for now: %s", said)
	case ctx.Err() != nil:
		return fmt.Errorf("the mail server did not answer in time: %w", ctx.Err())
	default:
		return errors.New("the connection to the mail server broke before it took the mail")
	}
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
