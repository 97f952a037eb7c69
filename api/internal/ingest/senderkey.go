package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// ServiceKeyHeader names the service when an API key authenticates.
const ServiceKeyHeader = "Nightbell-Service-Key"

// serviceKeyPrefix is what package catalog begins service keys with.
const serviceKeyPrefix = "nbs_"

// signInPrefix is what a person's token begins with: {" in base 64, as every JWT.
const signInPrefix = "eyJ"

var (
	errNoKey = fault.New(fault.Unauthenticated, "service_key_invalid",
		`Say which service this is for: send the header "Authorization: Bearer <service key>".`)
	errServiceKey = fault.New(fault.Unauthenticated, "service_key_invalid",
		"No service has this key. Copy it from the service's page.")
	errNoSuchKey = fault.New(fault.Unauthenticated, "service_key_invalid",
		"This is no key of Nightbell. A service key begins with nbs_ and is the last part of the webhook URL on the service's page.")
)

// Sender is who sends something about a service.
type Sender struct {
	Route Route
	// By names the key, for the history of incidents.
	By string
	// ID is that of the API key; that of the service for a service key.
	ID uuid.UUID
}

// place is what a sender's calls are counted for: the service that they are about, or else the
// organization.
func (s Sender) place() uuid.UUID {
	if s.Route.ServiceID == uuid.Nil {
		return s.Route.OrgID
	}
	return s.Route.ServiceID
}

// APIKeys says which organization an API key may send for.
type APIKeys interface {
	// Identify gives the organization, the key's name and its id, or the refusal.
	Identify(r *http.Request) (orgID uuid.UUID, name string, keyID uuid.UUID, err error)
	// NamedRoute finds a service by its id or its name, or fails with ErrUnknownKey.
	NamedRoute(ctx context.Context, orgID uuid.UUID, service string) (Route, error)
	// DefaultRoute is where an organization's events go that name no service.
	DefaultRoute(ctx context.Context, orgID uuid.UUID) (Route, error)
}

// Senders authenticates what is sent about services: by a service key, or by an API key and a
// service key in ServiceKeyHeader. Without the latter it is about no service of its own.
type Senders struct {
	Keys    Keys
	APIKeys APIKeys
}

// Identify finds out who sends a request, or gives the refusal to answer with.
func (s Senders) Identify(r *http.Request) (Sender, error) {
	sender, err := s.identify(r)
	if err == nil && sender.Route.ServiceID == uuid.Nil {
		sender.Route, err = s.APIKeys.DefaultRoute(r.Context(), sender.Route.OrgID)
		if err != nil {
			err = fmt.Errorf("finding where events go that name no service: %w", err)
		}
	}
	return sender, err
}

// identify is Identify without a service, where an API key names none.
func (s Senders) identify(r *http.Request) (Sender, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	switch {
	case token == "" || !strings.EqualFold(scheme, "Bearer"):
		return Sender{}, errNoKey
	case strings.HasPrefix(token, serviceKeyPrefix):
		return s.byServiceKey(r.Context(), token)
	case !strings.HasPrefix(token, apiKeyPrefix) && !strings.HasPrefix(token, signInPrefix):
		return Sender{}, errNoSuchKey
	}
	orgID, name, keyID, err := s.APIKeys.Identify(r)
	if err != nil {
		return Sender{}, err
	}
	if key := r.Header.Get(ServiceKeyHeader); key != "" {
		sender, err := s.byServiceKey(r.Context(), key)
		if err == nil && sender.Route.OrgID != orgID {
			err = errServiceKey
		}
		sender.By, sender.ID = name, keyID
		return sender, err
	}
	return Sender{Route: Route{OrgID: orgID}, By: name, ID: keyID}, nil
}

func (s Senders) byServiceKey(ctx context.Context, key string) (Sender, error) {
	route, err := s.Keys.Find(ctx, key)
	switch {
	case errors.Is(err, ErrUnknownKey) && strings.HasPrefix(key, apiKeyPrefix):
		return Sender{}, fault.New(fault.Unauthenticated, "wrong_key_kind", "This is an API key. Send it in Authorization, and a service's key here.")
	case errors.Is(err, ErrUnknownKey):
		return Sender{}, errServiceKey
	case err != nil:
		return Sender{}, fmt.Errorf("finding the service of a key: %w", err)
	}
	return Sender{Route: route, By: route.ServiceName, ID: route.ServiceID}, nil
}
