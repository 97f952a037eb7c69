// Package integrationrpc answers the calls about what an organization has connected.
package integrationrpc

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/integration"
	"github.com/nightbell/nightbell/api/internal/integration/integrationdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

var (
	errNoSlack = fault.New(fault.NotFound, "slack_not_configured", "No Slack integration configured")
	errSealed  = fault.New(fault.Conflict, "sealed_with_another_key", "The stored Slack address and token were sealed with a data key that is lost. Enter them again.")
)

// Poster posts a text through an incoming webhook. Its error is a sentence for people.
type Poster func(ctx context.Context, webhookURL, channel, text string) error

// Slack implements nightbellv1connect.SlackServiceHandler.
type Slack struct {
	db       *postgres.DB
	box      *secret.Box
	checkURL func(url string) error
	post     Poster
}

// NewSlack makes a handler.
func NewSlack(db *postgres.DB, box *secret.Box, checkURL func(string) error, post Poster) *Slack {
	return &Slack{db: db, box: box, checkURL: checkURL, post: post}
}

// stored is a configured integration.
type stored struct {
	open      integration.Slack
	secrets   integration.SlackSecrets
	sealed    []byte
	contactID uuid.UUID
}

func (s *Slack) in(ctx context.Context, do func(context.Context, pgx.Tx, uuid.UUID, time.Time) error) error {
	caller, _ := auth.ActorFrom(ctx)
	return s.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return do(ctx, tx, caller.OrgID, now)
	})
}

// load reads the integration without its secrets, or refuses with errNoSlack.
func (s *Slack) load(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) (stored, error) {
	row, err := integrationdb.New(tx).GetIntegration(ctx, orgID, integration.SlackKind)
	if errors.Is(err, pgx.ErrNoRows) {
		return stored{}, errNoSlack
	}
	if err != nil {
		return stored{}, err
	}
	var found stored
	if err := json.Unmarshal(row.Config, &found.open); err != nil {
		return stored{}, err
	}
	if row.ContactMethodID != nil {
		found.contactID = *row.ContactMethodID
	}
	found.sealed = row.Sealed
	return found, nil
}

// unseal opens the secrets of what was loaded, or refuses with errSealed.
func (s *Slack) unseal(orgID uuid.UUID, found *stored) error {
	plain, err := s.box.Open(found.sealed, integration.SealedPlace(orgID, integration.SlackKind))
	if err != nil {
		return errSealed.Because(err)
	}
	return json.Unmarshal(plain, &found.secrets)
}

// ConfigureSlack saves the integration, and its channel as one that policies can page. A secret
// that is sent as GetSlackConfig showed it stays as it is.
func (s *Slack) ConfigureSlack(ctx context.Context, request *nightbellv1.ConfigureSlackRequest) (*nightbellv1.ConfigureSlackResponse, error) {
	if caller, _ := auth.ActorFrom(ctx); caller.MayTell(auth.IncidentsRead) != nil { // a shared contact, too
		return nil, caller.MayTell(auth.IncidentsRead)
	}
	response := &nightbellv1.ConfigureSlackResponse{}
	err := s.in(ctx, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) error {
		current, err := s.load(ctx, tx, orgID)
		if err != nil && !errors.Is(err, errNoSlack) {
			return err
		}
		next := stored{contactID: current.contactID, open: integration.Slack{Channel: request.GetChannel(), UserMappings: request.GetUserMappings()}}
		change := integration.SlackSecrets{BotToken: request.GetBotToken(), WebhookURL: request.GetWebhookUrl()}
		keepToken, keepURL := current.open.Keeps(change)
		if keepToken || keepURL {
			if err := s.unseal(orgID, &current); err != nil {
				return err
			}
		}
		if next.secrets.BotToken = current.secrets.BotToken; !keepToken {
			if next.secrets.BotToken, err = integration.CheckToken(change.BotToken); err != nil {
				return err
			}
		}
		if next.secrets.WebhookURL, next.open.WebhookHint = current.secrets.WebhookURL, current.open.WebhookHint; !keepURL {
			if next.secrets.WebhookURL, next.open.WebhookHint, err = s.checkAddress(change.WebhookURL); err != nil {
				return err
			}
		}
		next.open.TokenHint = integration.TokenHint(next.secrets.BotToken)
		response.Integration = message(next.open)
		return s.save(ctx, tx, orgID, next, now)
	})
	return response, err
}

func (s *Slack) checkAddress(text string) (address, hint string, err error) {
	if address, hint, err = notify.CheckAddress(notify.Slack, text); err == nil {
		if err = s.checkURL(address); err == nil {
			return address, hint, nil
		}
	}
	sentence := err.Error()
	if refused, ok := fault.Of(err); ok {
		sentence = refused.Message
	}
	return "", "", fault.InvalidField("webhook_url", fault.BadFormat, sentence)
}

func (s *Slack) save(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, next stored, now time.Time) error {
	if next.contactID == uuid.Nil {
		next.contactID = id.New()
	}
	err := notifydb.New(tx).SaveSharedContact(ctx, notifydb.SaveSharedContactParams{
		OrgID: orgID, ID: next.contactID, Kind: string(notify.Slack),
		Name: "Slack " + next.open.Channel, Hint: next.open.WebhookHint, Now: now,
		AddressSealed: s.box.Seal([]byte(next.secrets.WebhookURL), notify.AddressPlace(orgID, next.contactID)),
	})
	if err != nil {
		return err
	}
	config, err := json.Marshal(next.open)
	if err != nil {
		return err
	}
	plain, err := json.Marshal(next.secrets)
	if err != nil {
		return err
	}
	return integrationdb.New(tx).SaveIntegration(ctx, integrationdb.SaveIntegrationParams{
		OrgID: orgID, Kind: integration.SlackKind, Config: config,
		Sealed: s.box.Seal(plain, integration.SealedPlace(orgID, integration.SlackKind)), ContactMethodID: &next.contactID, Now: now,
	})
}

func message(open integration.Slack) *nightbellv1.SlackIntegration {
	return &nightbellv1.SlackIntegration{
		IsActive: true, Channel: open.Channel, BotToken: open.TokenHint,
		WebhookUrl: open.WebhookHint, UserMappings: open.UserMappings,
	}
}

// GetSlackConfig gives what is configured, its secrets masked.
func (s *Slack) GetSlackConfig(ctx context.Context, _ *nightbellv1.GetSlackConfigRequest) (*nightbellv1.GetSlackConfigResponse, error) {
	response := &nightbellv1.GetSlackConfigResponse{}
	err := s.in(ctx, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, _ time.Time) error {
		found, err := s.load(ctx, tx, orgID)
		response.Integration = message(found.open)
		return err
	})
	return response, err
}

// TestSlack posts a message through the stored webhook.
func (s *Slack) TestSlack(ctx context.Context, request *nightbellv1.TestSlackRequest) (*nightbellv1.TestSlackResponse, error) {
	var found stored
	err := s.in(ctx, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, _ time.Time) (err error) {
		if found, err = s.load(ctx, tx, orgID); err != nil {
			return err
		}
		return s.unseal(orgID, &found)
	})
	if err != nil {
		return nil, err
	}
	channel := request.GetChannel()
	if channel == "" {
		channel = found.open.Channel
	}
	if err := s.post(ctx, found.secrets.WebhookURL, channel, request.GetMessage()); err != nil {
		return nil, fault.Newf(fault.Conflict, "slack_refused", "Slack did not take the message: %s.", err).Because(err)
	}
	return &nightbellv1.TestSlackResponse{Message: "Test message sent to " + channel + "."}, nil
}

// DisconnectSlack forgets the integration. Its channel stays in the policies that name
// it, disabled, so that their steps are shown as they were.
func (s *Slack) DisconnectSlack(ctx context.Context, _ *nightbellv1.DisconnectSlackRequest) (*nightbellv1.DisconnectSlackResponse, error) {
	err := s.in(ctx, func(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, now time.Time) error {
		found, err := s.load(ctx, tx, orgID)
		if err != nil {
			return err
		}
		if found.contactID != uuid.Nil {
			err := notifydb.New(tx).DisableContact(ctx, notifydb.DisableContactParams{OrgID: orgID, ID: found.contactID, Now: now, Reason: "Slack was disconnected"})
			if err != nil {
				return err
			}
		}
		_, err = integrationdb.New(tx).DeleteIntegration(ctx, orgID, integration.SlackKind)
		return err
	})
	return &nightbellv1.DisconnectSlackResponse{Message: "Slack integration disconnected."}, err
}
