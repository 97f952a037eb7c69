package email

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"net/textproto"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// certificates gives a server certificate for 127.0.0.1 and what trusts it.
func certificates(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	https := httptest.NewTLSServer(nil)
	defer https.Close()
	transport := https.Client().Transport
	pool := reflect.ValueOf(transport).Elem().FieldByName("TLSClientConfig").Interface().(*tls.Config).RootCAs
	return &tls.Config{Certificates: https.TLS.Certificates}, &tls.Config{RootCAs: pool}
}

func catch(t *testing.T, options smtpcatcher.Options) *smtpcatcher.Catcher {
	t.Helper()
	catcher, err := smtpcatcher.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = catcher.Close() })
	return catcher
}

// server talks to the catcher, wherever it listens.
func server(catcher *smtpcatcher.Catcher, change func(*Options)) *Server {
	options := Options{Host: catcher.Host(), Port: catcher.Port(), From: sender}
	if change != nil {
		change(&options)
	}
	return NewServer(options)
}

func TestMailArrivesAsRendered(t *testing.T) {
	catcher := catch(t, smtpcatcher.Options{})
	message := page(incident(0xc41e, alert.Critical))
	receipt, err := server(catcher, nil).Send(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Detail == "" || !strings.Contains(receipt.ProviderID, message.ID.String()) {
		t.Errorf("receipt = %+v", receipt)
	}
	mail := catcher.Mails()[0]
	want, _ := Render(message, sender)
	if normal(mail.Text) != normal(want.Text) || normal(mail.HTML) != normal(want.HTML) {
		t.Errorf("the bodies changed on the way:\n%s", mail.Raw)
	}
	thread := "<incident." + message.Incidents[0].ID.String() + "@acme.example>"
	for name, value := range map[string]string{
		"From":           `"Nightbell" <nightbell@acme.example>`,
		"To":             `"Mara Lindqvist" <mara@acme.example>`,
		"Subject":        want.Subject,
		"Message-Id":     "<page.01980000-0000-7000-8000-0000000000aa@acme.example>",
		"Auto-Submitted": "auto-generated",
		"References":     thread,
		"In-Reply-To":    thread,
		"Importance":     "high",
		"Date":           "Sat, 21 Nov 2026 03:08:15 +0000",
	} {
		if mail.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, mail.Get(name), value)
		}
	}
	if mail.Get("List-Unsubscribe") != "" || !slices.Equal(mail.Recipients, []string{"mara@acme.example"}) {
		t.Errorf("recipients %v, List-Unsubscribe %q", mail.Recipients, mail.Get("List-Unsubscribe"))
	}
}

// normal takes out what the way may change: line ends and blanks before them.
func normal(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// TestHeadersCannotBeInjected counts the headers of mails whose every text tries to
// add one.
func TestHeadersCannotBeInjected(t *testing.T) {
	catcher := catch(t, smtpcatcher.Options{})
	sends := server(catcher, nil)
	if _, err := sends.Send(t.Context(), page(incident(1, alert.Critical))); err != nil {
		t.Fatal(err)
	}
	plain := catcher.Mails()[0].Header
	for _, attack := range []string{
		"x\r\nBcc: thief@example.com", "x\nBcc: thief@example.com", "x\rBcc: thief@example.com",
		"x\r\n\r\n<html>", "x\x00y", "=?utf-8?q?x=0d=0aBcc:_thief@example.com?=", "x\u2028Bcc: y",
		"ü\r\nBcc: thief@example.com", strings.Repeat("a", 2000) + "\r\nBcc: t@example.com", "x\r\n.\r\nMAIL FROM:<a@b>",
	} {
		bad := incident(1, alert.Critical)
		bad.Title, bad.ServiceName, bad.Description, bad.Reason = attack, attack, attack, attack
		message := page(bad)
		message.PersonName, message.OrgName = attack, attack
		catcher.Clear()
		if _, err := sends.Send(t.Context(), message); err != nil {
			t.Fatalf("%q: %v", attack, err)
		}
		mails := catcher.Mails()
		if len(mails) != 1 || len(mails[0].Header) != len(plain) || len(mails[0].Recipients) != 1 {
			t.Errorf("%q: %d mails, headers %v", attack, len(mails), mails[0].Header)
		}
		for name, values := range mails[0].Header {
			if len(values) != 1 || plain[name] == nil {
				t.Errorf("%q: %s appears as %q", attack, name, values)
			}
		}
	}
}

func TestManyIncidentsAreOneMail(t *testing.T) {
	catcher := catch(t, smtpcatcher.Options{})
	if _, err := server(catcher, nil).Send(t.Context(), page(many(500)...)); err != nil {
		t.Fatal(err)
	}
	mail := catcher.Mails()[0]
	if !strings.HasPrefix(mail.Subject(), "[500 incidents] worst: Critical, ") {
		t.Errorf("subject %q", mail.Subject())
	}
	if !strings.Contains(mail.Text, "and 480 more.") || !strings.Contains(mail.HTML, "and 480 more.") {
		t.Error("the rest is not counted")
	}
	if got := strings.Count(mail.Get("References"), "<incident."); got != notify.MaxShown {
		t.Errorf("%d references", got)
	}
}

func TestAnswersOfTheServer(t *testing.T) {
	for _, c := range []struct {
		name      string
		fault     smtpcatcher.Fault
		permanent bool
		says      string
		mails     int
	}{
		{"greylisted", smtpcatcher.Fault{At: smtpcatcher.AtRecipient, Code: 451, Message: "greylisted, try again"}, false, "451 4.0.0 greylisted, try again", 0},
		{"no mailbox", smtpcatcher.Fault{At: smtpcatcher.AtRecipient, Code: 550, Enhanced: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}, true, "550 5.1.1 no such mailbox", 0},
		{"no relaying", smtpcatcher.Fault{At: smtpcatcher.AtRecipient, Code: 554, Enhanced: smtp.EnhancedCode{5, 7, 1}, Message: "Relay access denied"}, false, "554 5.7.1 Relay access denied", 0},
		{"sender refused", smtpcatcher.Fault{At: smtpcatcher.AtMail, Code: 553, Message: "not you"}, false, "553 5.0.0 not you", 0},
		{"too large", smtpcatcher.Fault{At: smtpcatcher.AtData, Code: 552, Message: "too large"}, false, "552 5.0.0 too large", 0},
		{"later", smtpcatcher.Fault{At: smtpcatcher.AtData, Code: 452, Message: "disk full"}, false, "452 4.0.0 disk full", 0},
		{"dropped before", smtpcatcher.Fault{At: smtpcatcher.AtData, Drop: true}, false, "did not say that it took it", 0},
		{"dropped after", smtpcatcher.Fault{At: smtpcatcher.AfterData, Drop: true}, false, "did not say that it took it", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			catcher := catch(t, smtpcatcher.Options{})
			catcher.Fail(c.fault)
			_, err := server(catcher, nil).Send(t.Context(), page(incident(1, alert.High)))
			if err == nil || errors.Is(err, notify.ErrPermanent) != c.permanent || !strings.Contains(err.Error(), c.says) {
				t.Errorf("permanent %t, says %q: %v", c.permanent, c.says, err)
			}
			if err != nil && strings.Contains(err.Error(), "mara@") {
				t.Errorf("the delivery log would repeat the address: %v", err)
			}
			if got := len(catcher.Mails()); got != c.mails {
				t.Errorf("%d mails were taken, want %d", got, c.mails)
			}
		})
	}
}

// TestWhoIsToBlameForARefusedMail: a quota or a rule of the server refuses after the recipient was accepted
// and is no fault of the contact; a mailbox that is full or gone is. Where the recipient is named, a server also
// refuses who asks, and defers everybody while its own system fails.
func TestWhoIsToBlameForARefusedMail(t *testing.T) {
	for _, c := range []struct {
		at         step
		code       int
		text, says string
	}{
		{endingMail, 550, "5.4.5 Daily user sending limit exceeded.", "installation refused"},
		{endingMail, 554, "Message rejected: Email address is not verified.", "installation refused"},
		{sendingMail, 554, "5.7.1 no valid recipients", "installation refused"},
		{endingMail, 552, "5.2.2 mailbox full", "permanent"},
		{endingMail, 550, "5.1.1 no such user", "permanent"},
		{endingMail, 550, "5.1.10 recipient not found", "permanent"},
		{endingMail, 550, "5.1.8 Access denied, bad outbound sender", "installation refused"},
		{endingMail, 554, "5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException", "installation refused"},
		{endingMail, 554, "5.2.252 SendAsDenied", "installation refused"},
		{endingMail, 552, "5.2.3 message too long", "installation refused"},
		{namingRecipient, 550, "5.1.1 no such user", "permanent"},
		{namingRecipient, 552, "5.2.2 mailbox full", "permanent"},
		{namingRecipient, 550, "5.7.1 not here", "turned away"},
		{namingRecipient, 554, "5.7.1 Service unavailable; Client host [192.0.2.1] blocked using bl.example", "turned away"},
		{namingRecipient, 550, "5.1.8 sender rejected", "turned away"},
		{namingRecipient, 503, "5.5.1 need MAIL", "turned away"},
		{namingRecipient, 550, "relay not permitted", "turned away"},
		{namingRecipient, 421, "too many connections", "installation"},
		{namingRecipient, 451, "4.3.0 Temporary lookup failure", "installation"},
		{namingRecipient, 452, "4.3.1 disk full", "installation"},
		{namingRecipient, 450, "4.2.0 greylisted", ""},
		{namingRecipient, 451, "4.7.1 greylisted", ""},
		{namingRecipient, 450, "try later", ""},
		{endingMail, 452, "4.3.1 disk full", "installation"},
	} {
		err := explainSend(t.Context(), c.at, &textproto.Error{Code: c.code, Msg: c.text})
		var says []string
		for mark, word := range map[error]string{notify.ErrInstallation: "installation", notify.ErrRefused: "refused", notify.ErrPermanent: "permanent", notify.ErrTurnedAway: "turned away"} {
			if errors.Is(err, mark) {
				says = append(says, word)
			}
		}
		slices.Sort(says)
		if got := strings.Join(says, " "); got != c.says {
			t.Errorf("%d %s: %q, want %q", c.code, c.text, got, c.says)
		}
	}
}

func TestHungServerEndsWithTheContext(t *testing.T) {
	for _, moment := range []smtpcatcher.Moment{smtpcatcher.AtMail, smtpcatcher.AtData} {
		catcher := catch(t, smtpcatcher.Options{})
		catcher.Fail(smtpcatcher.Fault{At: moment, Hang: true})
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		start := time.Now()
		_, err := server(catcher, nil).Send(ctx, page(incident(1, alert.High)))
		cancel()
		if err == nil || errors.Is(err, notify.ErrPermanent) || time.Since(start) > 15*time.Second {
			t.Errorf("%s: after %s: %v", moment, time.Since(start), err)
		}
	}
}

func TestMuteServerEndsWithTheContext(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	mute := NewServer(Options{Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, From: sender})
	if _, err := mute.Send(ctx, page(incident(1, alert.High))); err == nil || time.Since(start) > 15*time.Second {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
}

func TestPasswordNeedsTLS(t *testing.T) {
	serverTLS, clientTLS := certificates(t)
	login := func(o *Options) { o.Username, o.Password, o.TLS = "pager", "secret-password", clientTLS }
	for _, c := range []struct {
		name    string
		catcher smtpcatcher.Options
		options func(*Options)
		says    string // empty when the mail must arrive, encrypted
	}{
		{"STARTTLS", smtpcatcher.Options{TLS: serverTLS, Username: "pager", Password: "secret-password"}, login, ""},
		{"STARTTLS stripped", smtpcatcher.Options{Username: "pager", Password: "secret-password"}, login, "no STARTTLS"},
		{
			"untrusted certificate",
			smtpcatcher.Options{TLS: serverTLS, Username: "pager", Password: "secret-password"},
			func(o *Options) { o.Username, o.Password = "pager", "secret-password" }, "certificate is not trusted",
		},
		{"wrong password", smtpcatcher.Options{TLS: serverTLS, Username: "pager", Password: "other"}, login, "535"},
	} {
		t.Run(c.name, func(t *testing.T) {
			catcher := catch(t, c.catcher)
			_, err := server(catcher, c.options).Send(t.Context(), page(incident(1, alert.High)))
			if c.says == "" {
				if err != nil || !catcher.Mails()[0].Encrypted {
					t.Fatalf("expected an encrypted mail: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret-password") {
				t.Errorf("expected %q: %v", c.says, err)
			}
			if errors.Is(err, notify.ErrPermanent) {
				t.Error("a setting that can be corrected is not a permanent failure")
			}
		})
	}
}

func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{Host: "127.0.0.1", Port: 2525}, "NoTLS"},
		{Options{Host: "localhost", Port: 25}, "NoTLS"},
		{Options{Host: "127.0.0.1", Port: 587}, "TLSMandatory"},
		{Options{Host: "mail.example", Port: 587}, "TLSMandatory"},
		{Options{Host: "mail.example", Port: 25, Username: "u"}, "TLSMandatory"},
		{Options{Host: "mail.example", Port: 25}, "TLSOpportunistic"},
		{Options{Host: "mail.example", Port: 465}, "NoTLS"},
	} {
		if got := NewServer(c.options).policy().String(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.options, got, c.want)
		}
	}
	if NewServer(Options{Host: "mail.example", Port: 465}).tls().InsecureSkipVerify {
		t.Error("port 465 must check the certificate")
	}
}

func TestInboxKeepsTheSameMail(t *testing.T) {
	var kept []Mail
	inbox := NewInbox(netmail.Address{Name: "Nightbell", Address: "nightbell@localhost"}, func(_ context.Context, mail Mail) error {
		kept = append(kept, mail)
		return nil
	})
	message := page(incident(1, alert.High))
	if _, err := inbox.Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if kept[0].Subject != message.Subject() || kept[0].To.Address != "mara@acme.example" || kept[0].HTML == "" {
		t.Errorf("kept %+v", kept[0])
	}
}
