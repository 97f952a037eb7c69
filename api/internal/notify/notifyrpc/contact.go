// Package notifyrpc answers the calls about how people and shared channels are
// reached.
package notifyrpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

var (
	errNoContact   = fault.New(fault.NotFound, "contact_method_not_found", "Contact method not found")
	errNoRule      = fault.New(fault.NotFound, "notification_rule_not_found", "Notification rule not found")
	errSharedAdmin = fault.New(fault.Denied, "role_too_low", "Only admins and owners change the channels of the organization. Ask one of them.")
	errOwnersLast  = fault.New(fault.Conflict, "contact_method_last_of_owner", "An owner is the last resort of every escalation policy, and this is your only contact. Add another one first.")
	errOnlyPeople  = fault.New(fault.Denied, "user_only", "Contact methods belong to people. Sign in to change yours.")
)

// URLChecker says whether an address that a tenant gave may be called, in a sentence
// for people when not.
type URLChecker func(url string) error

// Handler implements nightbellv1connect.ContactServiceHandler.
type Handler struct {
	db         *postgres.DB
	box        *secret.Box
	checkURL   URLChecker
	verifyMail bool
	most       int
}

// New makes a handler. With verifyMail, e-mail addresses are paged once their owner has
// opened the link that is mailed to them. An organization may have most contact methods.
func New(db *postgres.DB, box *secret.Box, checkURL URLChecker, verifyMail bool, most int) *Handler {
	return &Handler{db: db, box: box, checkURL: checkURL, verifyMail: verifyMail, most: most}
}

// in runs work as the caller's organization.
func (h *Handler) in(ctx context.Context, do func(context.Context, *notifydb.Queries, auth.Actor, time.Time) error) error {
	return h.inTx(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		return do(ctx, notifydb.New(tx), caller, now)
	})
}

func (h *Handler) inTx(ctx context.Context, do func(context.Context, pgx.Tx, auth.Actor, time.Time) error) error {
	caller, _ := auth.ActorFrom(ctx)
	if caller.Kind != auth.User {
		return errOnlyPeople
	}
	return h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return do(ctx, tx, caller, now)
	})
}

// linkLater says what to do where the share of verification mails of the day is used up.
const linkLater = "Added, but not verified yet, and so not paged. Your organization has sent all the mails to unconfirmed addresses that it may send in a day: " +
	"tomorrow, choose Send again under On-call, My contact methods."

// CreateContactMethod adds a way to reach the caller, or a channel of the organization.
func (h *Handler) CreateContactMethod(ctx context.Context, request *nightbellv1.CreateContactMethodRequest) (*nightbellv1.CreateContactMethodResponse, error) {
	kind := notify.Kind(request.GetKind())
	address, hint, err := notify.CheckAddress(kind, request.GetAddress())
	if err != nil {
		return nil, err
	}
	if kind.Secret() {
		if err := h.checkURL(address); err != nil {
			return nil, fault.InvalidField("address", fault.BadFormat, err.Error())
		}
	}
	response := &nightbellv1.CreateContactMethodResponse{}
	err = h.inTx(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		if request.GetShared() && !caller.Role.AtLeast(auth.Admin) {
			return errSharedAdmin
		}
		if n, err := notifydb.New(tx).CountContacts(ctx, caller.OrgID); err != nil {
			return err
		} else if n >= int64(h.most) {
			return fault.Newf(fault.Conflict, "too_many_contact_methods",
				"Your organization has %d contact methods, and may have no more. Delete some that nobody uses.", h.most)
		}
		row := notifydb.InsertContactParams{OrgID: caller.OrgID, ID: id.New(), Kind: string(kind), Name: request.GetName(), Hint: hint, Now: now, Verify: h.verifyMail && kind == notify.Email}
		if !request.GetShared() {
			row.UserID = &caller.UserID
		}
		response.SigningSecret = postgres.Null(h.seal(&row, kind, address))
		response.ContactMethod = &nightbellv1.ContactMethod{
			Id: row.ID.String(), Kind: row.Kind, Name: row.Name, Hint: hint,
			Shared: request.GetShared(), CreatedAt: timestamppb.New(now), Verified: !row.Verify,
		}
		if row.Verify {
			switch err := notifydb.CountUnverified(ctx, tx, caller.OrgID, notify.VerificationShare, now); {
			case err == nil:
				row.MailAt = &now
			case errors.Is(err, notify.ErrTooManyMails): // the contact is kept: only its mail has to wait
				response.Message = new(linkLater)
			default:
				return err
			}
		}
		return notifydb.New(tx).InsertContact(ctx, row)
	})
	return response, err
}

// seal puts the address into the row, sealed when it is a secret, and gives a webhook
// the secret that signs its messages, which it returns in its form for people.
func (h *Handler) seal(row *notifydb.InsertContactParams, kind notify.Kind, address string) (signingSecret string) {
	if !kind.Secret() {
		row.Address = address
		return ""
	}
	row.AddressSealed = h.box.Seal([]byte(address), notify.AddressPlace(row.OrgID, row.ID))
	if kind != notify.Webhook {
		return ""
	}
	signing, text := notify.NewSigningSecret()
	row.SecretSealed = h.box.Seal(signing, notify.SecretPlace(row.OrgID, row.ID))
	return text
}

// ListContactMethods gives the caller's own, and the shared channels.
func (h *Handler) ListContactMethods(ctx context.Context, _ *nightbellv1.ListContactMethodsRequest) (*nightbellv1.ListContactMethodsResponse, error) {
	response := &nightbellv1.ListContactMethodsResponse{}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		rows, err := q.ListContacts(ctx, caller.OrgID, caller.UserID)
		for _, row := range rows {
			method := &nightbellv1.ContactMethod{
				Id: row.ID.String(), Kind: row.Kind,
				Name: row.Name, Hint: row.Hint, Shared: row.UserID == nil, CreatedAt: timestamppb.New(row.CreatedAt), DisabledReason: postgres.Null(row.DisabledReason),
				Verified:      row.VerifiedAt != nil || row.Kind != string(notify.Email) || !h.verifyMail,
				FailingReason: postgres.Null(row.FailingFor),
			}
			if row.FailingSince != nil {
				method.FailingSinceAt = timestamppb.New(*row.FailingSince)
			}
			response.ContactMethods = append(response.ContactMethods, method)
		}
		return err
	})
	return response, err
}

// SendVerification mails the link again, to one of the caller's own or, for admins, a shared one.
func (h *Handler) SendVerification(ctx context.Context, request *nightbellv1.SendVerificationRequest) (*nightbellv1.SendVerificationResponse, error) {
	contactID, _ := id.Parse(request.GetId())
	response := &nightbellv1.SendVerificationResponse{}
	err := h.inTx(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		verified, err := notifydb.New(tx).AskVerification(ctx, notifydb.AskVerificationParams{
			Now: now, OrgID: caller.OrgID, ID: contactID, UserID: caller.UserID, Shared: caller.Role.AtLeast(auth.Admin),
		})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errNoContact
		case err != nil:
			return err
		case verified || !h.verifyMail:
			response.Verified = true
			return nil
		}
		return notifydb.CountUnverified(ctx, tx, caller.OrgID, notify.VerificationShare, now)
	})
	return response, err
}

// DeleteContactMethod removes one of the caller's own, or a shared one for admins.
func (h *Handler) DeleteContactMethod(ctx context.Context, request *nightbellv1.DeleteContactMethodRequest) (*nightbellv1.DeleteContactMethodResponse, error) {
	contactID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, now time.Time) error {
		shared := caller.Role.AtLeast(auth.Admin)
		use, err := q.ContactUse(ctx, caller.OrgID, &contactID, caller.UserID)
		switch {
		case err != nil:
			return err
		case shared && len(use.PagedBy) > 0:
			return fault.Newf(fault.Conflict, "contact_method_in_use", "It is paged by %s. Take it out of there first.", policies(use.PagedBy))
		case use.OwnersLast:
			return errOwnersLast
		}
		deleted, err := q.DeleteContact(ctx, notifydb.DeleteContactParams{
			OrgID: caller.OrgID, ID: contactID, UserID: caller.UserID,
			Shared: shared, Now: now,
		})
		return orMissing(deleted, err, errNoContact)
	})
	return &nightbellv1.DeleteContactMethodResponse{}, err
}

// policies names the first of those that page a contact.
func policies(names []string) string {
	const most = 3
	text := "the escalation policy " + names[0]
	if len(names) > 1 {
		text = "the escalation policies " + strings.Join(names[:min(most, len(names))], ", ")
	}
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func orMissing(changed int64, err error, missing error) error {
	if err == nil && changed == 0 {
		return missing
	}
	return err
}

// CreateNotificationRule says when the caller is told by one of their contact methods.
func (h *Handler) CreateNotificationRule(ctx context.Context, request *nightbellv1.CreateNotificationRuleRequest) (*nightbellv1.CreateNotificationRuleResponse, error) {
	contactID, _ := id.Parse(request.GetContactMethodId())
	rule := &nightbellv1.NotificationRule{
		Id: id.New().String(), ContactMethodId: request.GetContactMethodId(),
		Urgency: request.GetUrgency(), DelaySeconds: request.GetDelaySeconds(),
	}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, now time.Time) error {
		written, err := q.InsertRule(ctx, notifydb.InsertRuleParams{
			ID: uuid.MustParse(rule.GetId()), Urgency: rule.GetUrgency(),
			DelaySeconds: rule.GetDelaySeconds(), Now: now, OrgID: caller.OrgID, ContactMethodID: contactID, UserID: caller.UserID,
		})
		return orMissing(written, err, fault.InvalidField("contact_method_id", fault.Missing, "Contact method not found"))
	})
	if postgres.ConstraintName(err) == "notification_rule_once_key" {
		err = fault.New(fault.Conflict, "notification_rule_exists", "You have this rule already. Choose another delay or contact method.").Because(err)
	}
	return &nightbellv1.CreateNotificationRuleResponse{NotificationRule: rule}, err
}

// ListNotificationRules gives the caller's rules.
func (h *Handler) ListNotificationRules(ctx context.Context, _ *nightbellv1.ListNotificationRulesRequest) (*nightbellv1.ListNotificationRulesResponse, error) {
	response := &nightbellv1.ListNotificationRulesResponse{}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		rows, err := q.ListRules(ctx, caller.OrgID, caller.UserID)
		for _, row := range rows {
			response.NotificationRules = append(response.NotificationRules, &nightbellv1.NotificationRule{
				Id:              row.ID.String(),
				ContactMethodId: row.ContactMethodID.String(), Urgency: row.Urgency, DelaySeconds: row.DelaySeconds,
			})
		}
		return err
	})
	return response, err
}

// DeleteNotificationRule removes one of the caller's rules.
func (h *Handler) DeleteNotificationRule(ctx context.Context, request *nightbellv1.DeleteNotificationRuleRequest) (*nightbellv1.DeleteNotificationRuleResponse, error) {
	ruleID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		deleted, err := q.DeleteRule(ctx, caller.OrgID, ruleID, caller.UserID)
		return orMissing(deleted, err, errNoRule)
	})
	return &nightbellv1.DeleteNotificationRuleResponse{}, err
}
