package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/ingest/event"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// How many calls that bring samples are served at the same time, and how many may wait for that:
// they share connections with whoever acknowledges.
const (
	samplesAtOnce  = 3
	samplesWaiting = 64
	samplesWait    = 2 * time.Second
)

var (
	errSamplesTooLarge = fault.Newf(fault.TooLarge, "body_too_large",
		"The points are larger than %d KiB. Send fewer of them at once.", maxEventsBody>>10)
	errSamplesBusy = fault.New(fault.Unavailable, "overloaded",
		"Too many samples are being received at the moment. Send these again in a few seconds.").After(retrySeconds)
	errNotOfKey  = fault.InvalidField("service", fault.Missing, "The key is that of another service. Leave service out, or send the key of the one that you mean.")
	errNoService = fault.InvalidField("service", fault.Missing, "Service not found")
)

// SampleStore keeps samples. It returns nil only after the commit.
type SampleStore interface {
	// KeepSamples tells whether the call was made before (replayed), and whether it said something
	// else then. Points that are too old or ahead are refused with invalid_fields, and so is one
	// name too many.
	KeepSamples(ctx context.Context, route Route, samples event.Samples) (replayed, mismatch bool, err error)
}

// Samples takes readings of services: POST /v1/samples. It never pages.
type Samples struct {
	events  Events
	store   SampleStore
	shares  *fairshare.Pool[uuid.UUID]
	serving chan struct{}
}

// NewSamples makes the handler, which is safe for concurrent use.
func NewSamples(events Events, store SampleStore) *Samples {
	return &Samples{events, store, fairshare.New[uuid.UUID](samplesWaiting), make(chan struct{}, samplesAtOnce)}
}

// samplesAnswer says what was kept.
type samplesAnswer struct {
	Service       reference       `json:"service"`
	Name          string          `json:"name"`
	AcceptedCount int             `json:"accepted_count"`
	Warnings      []event.Warning `json:"warnings"`
}

type reference struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// ServeHTTP answers 200 once the samples are kept, also to a repeated call.
func (s *Samples) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, replayed, err := s.keep(w, r)
	if err != nil {
		s.events.writeError(w, r, forProgram(err))
		return
	}
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *Samples) keep(w http.ResponseWriter, r *http.Request) (answer samplesAnswer, replayed bool, err error) {
	sender, err := s.events.Senders.identify(r)
	if err == nil {
		err = s.events.Quotas.Samples.Count(sender.place(), w.Header())
	}
	if err != nil {
		return answer, false, err
	}
	fields, err := s.events.decode(w, r, sender, maxEventsBody, errSamplesTooLarge)
	if err != nil {
		return answer, false, err
	}
	samples, err := event.ReadSamples(fields, callID(r, sender))
	if err != nil {
		return answer, false, err
	}
	done, err := s.turn(r.Context(), sender.Route.OrgID)
	if err != nil {
		return answer, false, err
	}
	defer done()
	route, err := s.route(r.Context(), sender.Route, samples.Service)
	if err != nil {
		return answer, false, err
	}
	replayed, mismatch, err := s.store.KeepSamples(r.Context(), route, samples)
	switch {
	case err != nil:
		return answer, false, fmt.Errorf("keeping samples: %w", err)
	case mismatch:
		return answer, false, errSamplesMismatch
	}
	s.events.called(r, route, catalog.SampleSender)
	return samplesAnswer{
		Service: reference{route.ServiceID, route.ServiceName}, Name: samples.Name, AcceptedCount: len(samples.Points),
		Warnings: append([]event.Warning{}, samples.Warnings...),
	}, replayed, nil
}

// turn waits for one of the few places.
func (s *Samples) turn(ctx context.Context, orgID uuid.UUID) (done func(), err error) {
	if !s.shares.Take(orgID, 1) {
		return nil, errSamplesBusy
	}
	patience := time.NewTimer(samplesWait)
	defer patience.Stop()
	select {
	case s.serving <- struct{}{}:
		return func() { <-s.serving; s.shares.Return(orgID, 1) }, nil
	case <-patience.C:
	case <-ctx.Done():
	}
	s.shares.Return(orgID, 1)
	return nil, errSamplesBusy
}

// route is the service that the key names, or else the one that the body does, or else the one for
// what names none.
func (s *Samples) route(ctx context.Context, ofKey Route, named string) (Route, error) {
	switch {
	case ofKey.ServiceID == uuid.Nil && named == "":
		return s.events.Senders.APIKeys.DefaultRoute(ctx, ofKey.OrgID)
	case ofKey.ServiceID == uuid.Nil:
		route, err := s.events.Senders.APIKeys.NamedRoute(ctx, ofKey.OrgID, named)
		if errors.Is(err, ErrUnknownKey) {
			err = errNoService
		}
		return route, err
	case named != "" && !strings.EqualFold(named, ofKey.ServiceID.String()) && !strings.EqualFold(named, ofKey.ServiceName):
		return Route{}, errNotOfKey
	default:
		return ofKey, nil
	}
}
