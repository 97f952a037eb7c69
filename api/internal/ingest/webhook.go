package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/ingest/prometheus"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// keptBytes is how much of an unreadable body is stored.
const keptBytes = 64 << 10

// errEmpty is the answer to a body without a word in it.
var errEmpty = fault.New(fault.Invalid, "body_empty", "The body is empty. Send what Alertmanager or Grafana sends, unchanged.")

// retrySeconds is when a sender should try again what could not be committed.
const retrySeconds = 5

// ErrorWriter answers a request with an error, in the shape of all our errors.
type ErrorWriter func(w http.ResponseWriter, r *http.Request, err error)

// Handler receives the alerts of every sender. It is safe for concurrent use.
type Handler struct {
	keys       Keys
	acceptor   Acceptor
	writeError ErrorWriter
	log        *slog.Logger
	arriving   *fairshare.Pool[uuid.UUID]
	parsing    chan struct{}
	calls      Calls
}

// NewHandler makes a handler that logs to log; Register gives it its paths.
func NewHandler(keys Keys, acceptor Acceptor, writeError ErrorWriter, log *slog.Logger) *Handler {
	return &Handler{
		keys: keys, acceptor: acceptor, writeError: writeError, log: log,
		arriving: fairshare.New[uuid.UUID](arrivingBytes), parsing: make(chan struct{}, parsedAtOnce),
	}
}

// Noting makes the handler, and what takes events, changes, samples and pings with it, tell calls
// what called. It is to be called before the first request.
func (h *Handler) Noting(calls Calls) *Handler {
	h.calls = calls
	return h
}

// called notes that something called about a service, once what it brought is stored.
func (h *Handler) called(r *http.Request, route Route, what catalog.SenderKind) {
	if h.calls == nil {
		return
	}
	for _, kind := range catalog.KindsOf(r.UserAgent(), r.Header.Get("Nightbell-Sdk"), what) {
		h.calls.Note(catalog.SenderCall{OrgID: route.OrgID, ServiceID: route.ServiceID, Kind: kind})
	}
}

// webhook answers one sender's requests.
func (h *Handler) webhook(s sender) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(Verbs, r.Method) {
			w.Header().Set("Allow", strings.Join(Verbs, ", "))
			h.writeError(w, r, fault.New(fault.WrongVerb, "method_not_allowed",
				"Alerts are sent with POST, not "+r.Method+". Give this URL to your monitoring system as a webhook."))
			return
		}
		batch, err := h.receive(w, r, s)
		if err != nil {
			h.writeError(w, r, forSender(err))
			return
		}
		writeSuccess(w, r, batch)
	})
}

// apiKeyPrefix is what package auth begins API keys with.
const apiKeyPrefix = "nbk_"

// receive does everything but answering.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, s sender) (alert.Batch, error) {
	ctx := r.Context()
	route, err := h.keys.Find(ctx, r.PathValue("service_key"))
	if errors.Is(err, ErrUnknownKey) && strings.HasPrefix(r.PathValue("service_key"), apiKeyPrefix) {
		return alert.Batch{}, fault.New(fault.Unauthenticated, "wrong_key_kind",
			"This is an API key. Alerts are sent with the key of a service: copy the webhook URL from the service's page and use it unchanged.")
	}
	if errors.Is(err, ErrUnknownKey) {
		return alert.Batch{}, fault.New(fault.NotFound, "service_key_not_found",
			"No service has this key. Copy the webhook URL from the service's page and use it unchanged.")
	}
	if err != nil {
		return alert.Batch{}, fmt.Errorf("finding the service of a key: %w", err)
	}
	body, err := h.readBody(w, r, route.OrgID)
	defer body.free()
	var batch alert.Batch
	switch {
	case err == nil && len(bytes.TrimSpace(body.bytes)) == 0:
		return alert.Batch{}, errEmpty // somebody tries the address; there is nothing to keep, and nobody to page
	case err == nil:
		batch, err = h.parse(ctx, s, body.bytes)
	}
	if err != nil {
		return alert.Batch{}, h.refuse(ctx, route, s, body, err)
	}
	unread := firstBytes(bytes.Join(batch.Unread, []byte("\n")))
	body.free() // its alerts are counted by the acceptor
	if err := h.acceptor.Accept(ctx, route, batch); err != nil {
		return alert.Batch{}, fmt.Errorf("committing %d alerts: %w", len(batch.Alerts), err)
	}
	if n := len(batch.Unread); n > 0 {
		h.log.WarnContext(ctx, "alerts could not be read", "sender", s.name, "service_id", route.ServiceID, "alerts", n)
		reason := fmt.Sprintf(`%d of %d entries of "alerts" have no labels, annotations or fingerprint.`, n, n+len(batch.Alerts))
		if err := h.acceptor.AcceptUndecodable(ctx, route, s.name, reason, unread); err != nil {
			return alert.Batch{}, fmt.Errorf("keeping %d unreadable alerts: %w", n, err) // all are sent again, and known then
		}
	}
	h.called(r, route, monitor(batch))
	return batch, nil
}

// monitor is which monitoring system sent a batch. It has an alert, as parsers promise.
func monitor(batch alert.Batch) catalog.SenderKind {
	if batch.Alerts[0].Source == prometheus.SourceGrafana {
		return catalog.Grafana
	}
	return catalog.Alertmanager
}

// parse runs a parser. A parser that panics has a bug, but the alert it read is
// real and its sender would repeat it in vain: it is treated as unreadable.
func (h *Handler) parse(ctx context.Context, s sender, body []byte) (batch alert.Batch, err error) {
	done, err := h.turnToParse(ctx, len(body))
	if err != nil {
		return alert.Batch{}, err
	}
	defer done()
	defer func() {
		if cause := recover(); cause != nil {
			h.log.ErrorContext(ctx, "a parser panicked", "sender", s.name, "cause", fmt.Sprint(cause))
			err = fault.New(fault.Invalid, "unreadable_alert",
				"Nightbell could not read this alert. It was kept; send it to us with the version of your sender.")
		}
	}()
	batch, err = s.parse(body)
	return batch.Plain(), err
}

// refuse stores a body that cannot be used before the sender hears of it. It
// returns the error to answer with: the refusal, or that not even it was stored,
// which the sender should then try again.
func (h *Handler) refuse(ctx context.Context, route Route, s sender, body received, refusal error) error {
	reason, isFault := fault.Of(refusal)
	unusable := isFault && slices.Contains([]fault.Kind{fault.Invalid, fault.Unsupported, fault.TooLarge}, reason.Kind)
	if !unusable || reason.Code == prometheus.CodeNoAlerts { // says nothing, so nothing was lost
		return refusal
	}
	h.log.WarnContext(ctx, "alerts could not be read", "sender", s.name, "service_id", route.ServiceID,
		"code", reason.Code, "bytes", len(body.bytes))
	kept := firstBytes(body.bytes)
	body.free()
	if err := h.acceptor.AcceptUndecodable(ctx, route, s.name, reason.Message, kept); err != nil {
		return fmt.Errorf("keeping an unreadable body: %w", err)
	}
	return refusal
}

// firstBytes copies what is kept of something unreadable.
func firstBytes(text []byte) []byte { return bytes.Clone(text[:min(len(text), keptBytes)]) }

// forSender turns every failure of ours into "try again": Alertmanager repeats
// what was answered with 5xx, and nothing else, not even 429.
func forSender(err error) error {
	unavailable := fault.New(fault.Unavailable, "alerts_not_stored",
		"The alerts could not be stored right now. Send them again in a few seconds.").After(retrySeconds)
	known, ok := fault.Of(err)
	switch {
	case !ok, known.Kind == fault.Internal:
		return unavailable.Because(err)
	case known.Kind == fault.Limited, known.Kind == fault.Unavailable && known.RetryAfterSeconds == 0:
		return unavailable.After(max(known.RetryAfterSeconds, retrySeconds)).Because(err)
	default:
		return err
	}
}

// success is the answer to alerts that were committed.
type success struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Alerts  int    `json:"alerts"`
}

func writeSuccess(w http.ResponseWriter, r *http.Request, batch alert.Batch) {
	answer := success{Status: "success", Alerts: len(batch.Alerts), Message: fmt.Sprintf("Accepted %d alerts.", len(batch.Alerts))}
	if answer.Alerts == 1 {
		answer.Message = "Accepted 1 alert."
	}
	if batch.Truncated > 0 {
		answer.Message += fmt.Sprintf(" %d more were left out.", batch.Truncated)
	}
	if n := len(batch.Unread); n > 0 {
		answer.Message += fmt.Sprintf(" %d could not be read; an incident says so.", n)
	}
	if isTrial(r, batch) {
		answer.Message = "Test alert sent successfully!"
	}
	writeJSON(w, http.StatusOK, answer)
}

// isTrial tells a person at the test button or a terminal, who reads the answer,
// from a monitoring system, which names itself.
func isTrial(r *http.Request, batch alert.Batch) bool {
	agent := r.UserAgent()
	return len(batch.Alerts) == 1 && batch.Truncated == 0 && len(batch.Unread) == 0 && batch.Alerts[0].Status == alert.Firing &&
		!strings.HasPrefix(agent, "Alertmanager") && !strings.HasPrefix(agent, "Grafana")
}

func writeJSON(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, `{"code":"internal","message":"Something went wrong on our side.","details":[]}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a sender that has left already hears nothing either way
}
