// Package ackpage serves the page behind a message's acknowledge link: what is
// broken, who has it, and one button. It is plain HTML that needs none of its few lines
// of script, so that it works on every phone at three in the morning, and no sign-in: the
// token in the link is the authority. Opening it changes nothing, because mail scanners
// open links too; only the button's POST acts.
//
// Neighbours: notify.MintAck and OpenAck (the token), respond/link.go (what
// the button does).
package ackpage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/respond"
)

// Acknowledger shows and acknowledges what a link is about; *respond.Responder is one.
type Acknowledger interface {
	LinkedPage(ctx context.Context, claims notify.AckClaims) (respond.Paged, error)
	AcknowledgeLinked(ctx context.Context, claims notify.AckClaims, seen map[uuid.UUID]alert.Severity) error
}

// Options are what the pages need.
type Options struct {
	Logger       *slog.Logger
	Acknowledger Acknowledger
	// Key is the one that the links were minted with.
	Key []byte
	// PublicURL is where browsers reach the pages; a proxy may change the Host of a request.
	PublicURL string
}

// New makes the handler of GET and POST /ack/{token} and of GET /ack/style.css.
func New(options Options) http.Handler { return handler{options} }

type handler struct{ Options }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.URL.Path, "/ack/")
	if token == "style.css" {
		serveStyle(w)
		return
	}
	protect(w.Header())
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		h.show(w, r, token)
	case http.MethodPost:
		h.acknowledge(w, r, token)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		h.refuse(w, r, http.StatusMethodNotAllowed, "This page can only be opened.", "Open the link of the message in a browser.")
	}
}

// protect keeps the token to this site: it must not be cached, indexed, framed or sent
// elsewhere as a referrer, and nothing from elsewhere may run or load. The stricter
// no-referrer would turn the Origin of the page's own form into "null".
func protect(header http.Header) {
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Robots-Tag", "noindex, nofollow")
}

func (h handler) show(w http.ResponseWriter, r *http.Request, token string) {
	claims, ok := h.open(w, r, token)
	if !ok {
		return
	}
	paged, err := h.Acknowledger.LinkedPage(r.Context(), claims)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.render(w, r, http.StatusOK, pageTemplate, newView(paged))
}

// acknowledge acts and sends the browser back to the page, so that reloading it does
// not post again.
func (h handler) acknowledge(w http.ResponseWriter, r *http.Request, token string) {
	if !h.fromThisPage(r) {
		h.refuse(w, r, http.StatusForbidden, "This did not come from the page itself.", "Open the link of the message and press Acknowledge there.")
		return
	}
	claims, ok := h.open(w, r, token)
	if !ok {
		return
	}
	shown, err := seen(w, r)
	if err != nil {
		h.refuse(w, r, http.StatusBadRequest, "What you pressed did not arrive whole.", "Open the link again and press Acknowledge once more; paging goes on until somebody answers.")
		return
	}
	// The whole form is here: a phone that hangs up now has said it, and must not be paged on.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), answerTime)
	defer cancel()
	if err := h.Acknowledger.AcknowledgeLinked(ctx, claims, shown); err != nil {
		h.fail(w, r, err)
		return
	}
	http.Redirect(w, r, "/ack/"+token, http.StatusSeeOther) //nolint:gosec // open has checked that it is our token
}

const (
	// answerTime is how long looking up what a link is about may take once the form is here, as an RPC may.
	answerTime = 10 * time.Second
	// longestForm is room for two thousand incidents.
	longestForm = 128 << 10
)

// seen are the incidents that the page asked to answer, and how severe it showed each, as its form says. What
// cannot be read is left out, and a form that is too long names nothing: an answer must not fail for it. One that
// broke off is an error, because a form that names nothing is one for all of the message.
func seen(w http.ResponseWriter, r *http.Request) (map[uuid.UUID]alert.Severity, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longestForm))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		text = nil
	case err != nil:
		return nil, err
	}
	form, _ := url.ParseQuery(string(text)) // what it can read it gives also beside what it cannot
	all := map[uuid.UUID]alert.Severity{}
	for _, one := range form["seen"] {
		incident, severity, _ := strings.Cut(one, " ")
		if incidentID, ok := id.Parse(incident); ok {
			all[incidentID] = alert.Severity(severity)
		}
	}
	return all, nil
}

// fromThisPage reports whether a browser posted the page's own form. Browsers say so in
// Sec-Fetch-Site, and over plain HTTP or when they are old in Origin. Whoever says neither is
// no browser: a mail scanner that tries every form must not answer for a person.
func (h handler) fromThisPage(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin" || site == "none"
	}
	origin, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || origin.Host == "" {
		return false
	}
	public, err := url.Parse(h.PublicURL)
	return origin.Host == r.Host || (err == nil && origin.Host == public.Host)
}

// open reads the token and answers when it is not good.
func (h handler) open(w http.ResponseWriter, r *http.Request, token string) (notify.AckClaims, bool) {
	claims, err := notify.OpenAck(h.Key, token)
	if err != nil {
		h.refuse(w, r, http.StatusNotFound, "This link does not work.", "Check that it was copied whole, or sign in to see what is open.")
	}
	return claims, err == nil
}

// fail answers for what the acknowledger could not do.
func (h handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	refusal, known := fault.Of(err)
	var partly respond.PartlyAcknowledged
	switch {
	case errors.Is(err, respond.ErrLinkExpired):
		h.refuse(w, r, http.StatusNotFound, "This link has expired.", "A link works for 24 hours. Sign in to see what is open now.")
	case known && refusal.Kind == fault.NotFound:
		h.refuse(w, r, http.StatusNotFound, "This link does not work any more.", "Sign in to see what is open now.")
	case known && refusal.Kind != fault.Internal && refusal.Kind != fault.Unavailable:
		h.refuse(w, r, http.StatusConflict, refusal.Message, "Open the link again to see how things stand.")
	case errors.As(err, &partly):
		h.Logger.ErrorContext(r.Context(), "an acknowledge page could not change every incident", "error", err)
		w.Header().Set("Retry-After", "2")
		h.refuse(w, r, http.StatusServiceUnavailable, partlyTitle(partly), "Open the link again in a moment to acknowledge the rest; paging for it goes on until somebody answers.")
	default:
		h.Logger.ErrorContext(r.Context(), "an acknowledge page failed", "error", err)
		w.Header().Set("Retry-After", "2")
		// Nothing is said of what was changed: a commit whose answer was lost may have been one.
		h.refuse(w, r, http.StatusServiceUnavailable, "Nightbell could not do that just now.", "Open the link again in a moment to see how things stand; paging goes on until somebody answers.")
	}
}

func partlyTitle(partly respond.PartlyAcknowledged) string {
	return fmt.Sprintf("%d of %d incidents are acknowledged, the others are not.", partly.Acknowledged, partly.Acknowledged+partly.Failed)
}

func (h handler) refuse(w http.ResponseWriter, r *http.Request, status int, title, advice string) {
	h.render(w, r, status, refusalTemplate, refusal{Title: title, Advice: advice, Style: styleURL})
}

// render writes a whole page, or none: a template that fails must not leave half of one.
func (h handler) render(w http.ResponseWriter, r *http.Request, status int, template executor, data any) {
	var page bytes.Buffer
	if err := template.Execute(&page, data); err != nil {
		h.Logger.ErrorContext(r.Context(), "an acknowledge page cannot be rendered", "error", err)
		http.Error(w, "Nightbell could not show this page. Try again in a moment.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page.Bytes()) // whoever left does not need it
	}
}
