package email

import (
	"errors"
	"slices"

	"github.com/wneessen/go-mail/smtp"
)

// signIn picks a way to sign in that the server offers. It is used over TLS only
// (Server.policy), and each way refuses to send a password in plain all the same.
type signIn struct {
	options Options
	smtp.Auth
}

// Start begins with the first way that both sides know.
func (a *signIn) Start(server *smtp.ServerInfo) (proto string, toServer []byte, err error) {
	user, password, host := a.options.Username, a.options.Password, a.options.Host
	switch {
	case slices.Contains(server.Auth, "PLAIN"):
		a.Auth = smtp.PlainAuth("", user, password, host, false)
	case slices.Contains(server.Auth, "LOGIN"):
		a.Auth = smtp.LoginAuth(user, password, host, false)
	case slices.Contains(server.Auth, "SCRAM-SHA-256"):
		a.Auth = smtp.ScramSHA256Auth(user, password)
	case slices.Contains(server.Auth, "CRAM-MD5"):
		a.Auth = smtp.CRAMMD5Auth(user, password)
	default:
		return "", nil, errors.New("the mail server offers no way to sign in that is known here (PLAIN, LOGIN, SCRAM-SHA-256, CRAM-MD5)")
	}
	return a.Auth.Start(server)
}
