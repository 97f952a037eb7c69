// Package notifyrpc answers the calls about how people and shared channels are
// reached.
package notifyrpc

import (
	"cmp"
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
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

var (
	errNoContact   = fault.New(fault.NotFound, "contact_method_not_found", "Contact method not found")
	errSharedAdmin = fault.New(fault.Denied, "role_too_low", "Only admins and owners change the channels of the organization. Ask one of them.")
	errOthersAdmin = fault.New(fault.Denied, "role_too_low", "Only admins and owners deal with the contact methods and rules of others. Ask one of them.")
	errOwnersLast  = fault.New(fault.Conflict, "contact_method_last_of_owner", "An owner is the last resort of every escalation policy, and this is an owner's only contact. Add another one first.")
	errWhose       = fault.InvalidField("user_id", fault.Required, "An API key has no contact methods of its own. Say whose this is, or that it is shared.")
	errNobodys     = fault.InvalidField("user_id", fault.OutOfRange, "A shared channel is nobody's own. Leave out user_id, or shared.")
	errNoUser      = fault.InvalidField("user_id", fault.Missing, "There is nobody with this id in your organization.")
)

// sortable is a form of times in UTC in which later ones sort later.
const sortable = "2006-01-02T15:04:05.000000"

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
	wakeTests  func()
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

// ownLinkLater says it where the share of the person is used up.
const ownLinkLater = "Added, but not verified yet, and so not paged. You have had all the mails to unconfirmed addresses sent that you may in a day: " +
	"tomorrow, choose Send again under On-call, My contact methods, or ask an admin."

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
		userID, err := whoseIs(request, caller)
		if err != nil {
			return err
		}
		if err := h.hasRoom(ctx, notifydb.New(tx), caller, userID); err != nil {
			return err
		}
		row := notifydb.InsertContactParams{OrgID: caller.OrgID, ID: id.New(), UserID: userID, Kind: string(kind), Name: request.GetName(), Hint: hint, Now: now, Verify: h.verifyMail && kind == notify.Email}
		response.SigningSecret = postgres.Null(h.seal(&row, kind, address))
		response.ContactMethod = &nightbellv1.ContactMethod{
			Id: row.ID.String(), Kind: row.Kind, Name: row.Name, Hint: hint,
			Shared: request.GetShared(), UserId: id.Text(userID), CreatedAt: timestamppb.New(now), Verified: !row.Verify,
		}
		if row.Verify {
			switch err := countMail(ctx, tx, caller, now); {
			case err == nil:
				row.MailAt = &now
			case errors.Is(err, notify.ErrTooManyOwnMails):
				response.Message = new(ownLinkLater)
			case errors.Is(err, notify.ErrTooManyMails): // the contact is kept: only its mail has to wait
				response.Message = new(linkLater)
			default:
				return err
			}
		}
		if err := notifydb.New(tx).InsertContact(ctx, row); err != nil || userID == nil || request.GetWithoutRules() {
			return err
		}
		high, low, err := notifydb.InsertFirstRules(ctx, tx, caller.OrgID, *userID, row.ID, now)
		contact, person := row.ID.String(), userID.String()
		response.NotificationRules = []*nightbellv1.NotificationRule{
			{Id: high.String(), ContactMethodId: contact, Urgency: "high", UserId: person},
			{Id: low.String(), ContactMethodId: contact, Urgency: "low", UserId: person},
		}
		return err
	})
	if postgres.IsForeignKey(err) {
		err = errNoUser.Because(err)
	}
	return response, err
}

// whoseIs is ownerOf. It refuses a key that would learn more of incidents by a contact method than it may read, and
// answer by the link in pages to a person what it may not answer. Pages to shared channels have no such link.
func whoseIs(request *nightbellv1.CreateContactMethodRequest, caller auth.Actor) (*uuid.UUID, error) {
	userID, err := ownerOf(request, caller)
	switch {
	case err != nil:
		return nil, err
	case userID == nil:
		return nil, caller.MayTell(auth.IncidentsRead)
	default:
		return userID, caller.MayTell(auth.IncidentsRead, auth.IncidentsWrite)
	}
}

// ownerOf is whose contact method is to be made; nil for a shared one.
func ownerOf(request *nightbellv1.CreateContactMethodRequest, caller auth.Actor) (*uuid.UUID, error) {
	switch {
	case request.GetShared() && request.GetUserId() != "":
		return nil, errNobodys
	case request.GetShared() && !mayAll(caller):
		return nil, errSharedAdmin
	case request.GetShared():
		return nil, nil
	case request.GetUserId() == "" && caller.Kind != auth.User:
		return nil, errWhose
	case request.GetUserId() == "":
		return &caller.UserID, nil
	}
	return personOf(request.GetUserId(), caller)
}

// hasRoom refuses one contact method too many: of the organization, and of people who add their own, so that
// nobody uses up what the others need.
func (h *Handler) hasRoom(ctx context.Context, q *notifydb.Queries, caller auth.Actor, userID *uuid.UUID) error {
	if n, err := q.CountContacts(ctx, caller.OrgID); err != nil {
		return err
	} else if n >= int64(h.most) {
		return fault.Newf(fault.Conflict, "too_many_contact_methods",
			"Your organization has %d contact methods, and may have no more. Delete some that nobody uses.", h.most)
	}
	if userID == nil || mayAll(caller) {
		return nil
	}
	if n, err := q.CountContactsOf(ctx, caller.OrgID, *userID); err != nil {
		return err
	} else if n >= notify.MostOfPerson {
		return fault.Newf(fault.Conflict, "too_many_contact_methods",
			"You have %d contact methods, and add no more yourself. Delete one that you do not use, or ask an admin.", n)
	}
	return nil
}

// mayAll reports whether somebody may deal with the contact methods of everybody.
func mayAll(caller auth.Actor) bool { return caller.Role.AtLeast(auth.Admin) }

// personOf reads a user_id. Others than the caller are for admins.
func personOf(text string, caller auth.Actor) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	person, _ := id.Parse(text)
	if person != caller.UserID && !mayAll(caller) {
		return nil, errOthersAdmin
	}
	return &person, nil
}

// listed is what a list shows: to an admin's key, and of a person that an admin names, all there is.
func listed(caller auth.Actor, person *uuid.UUID) (everybody bool) {
	return mayAll(caller) && (person != nil || caller.Kind != auth.User)
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

// ListContactMethods gives those that the caller may see.
func (h *Handler) ListContactMethods(ctx context.Context, request *nightbellv1.ListContactMethodsRequest) (*nightbellv1.ListContactMethodsResponse, error) {
	response := &nightbellv1.ListContactMethodsResponse{}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		person, err := personOf(request.GetUserId(), caller)
		if err != nil {
			return err
		}
		rows, err := q.ListContacts(ctx, notifydb.ListContactsParams{OrgID: caller.OrgID, CallerID: caller.UserID, Everybody: listed(caller, person), UserID: person})
		if err != nil {
			return err
		}
		rows, response.NextCursor, err = page.Cut(caller.OrgID, "contact_methods", rows, cmp.Or(int(request.GetLimit()), page.Longest), request.GetCursor(),
			func(row notifydb.ListContactsRow) string {
				return fmt.Sprint(row.UserID == nil, row.CreatedAt.UTC().Format(sortable), row.ID)
			})
		for _, row := range rows {
			response.ContactMethods = append(response.ContactMethods, h.contactMessage(row))
		}
		return err
	})
	return response, err
}

func (h *Handler) contactMessage(row notifydb.ListContactsRow) *nightbellv1.ContactMethod {
	method := &nightbellv1.ContactMethod{
		Id: row.ID.String(), Kind: row.Kind,
		Name: row.Name, Hint: row.Hint, Shared: row.UserID == nil, UserId: id.Text(row.UserID), CreatedAt: timestamppb.New(row.CreatedAt), DisabledReason: postgres.Null(row.DisabledReason),
		Verified:      row.VerifiedAt != nil || row.Kind != string(notify.Email) || !h.verifyMail,
		FailingReason: postgres.Null(row.FailingFor),
	}
	if row.FailingSince != nil {
		method.FailingSinceAt = timestamppb.New(*row.FailingSince)
	}
	return method
}

// GetContactMethod gives one that the caller may see.
func (h *Handler) GetContactMethod(ctx context.Context, request *nightbellv1.GetContactMethodRequest) (*nightbellv1.GetContactMethodResponse, error) {
	response := &nightbellv1.GetContactMethodResponse{}
	contactID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) (err error) {
		response.ContactMethod, err = h.findContact(ctx, q, caller, contactID)
		return err
	})
	return response, err
}

func (h *Handler) findContact(ctx context.Context, q *notifydb.Queries, caller auth.Actor, contactID uuid.UUID) (*nightbellv1.ContactMethod, error) {
	rows, err := q.ListContacts(ctx, notifydb.ListContactsParams{OrgID: caller.OrgID, CallerID: caller.UserID, Everybody: mayAll(caller), ID: &contactID})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoContact
	}
	return h.contactMessage(rows[0]), nil
}

// UpdateContactMethod renames one of the caller's own or, for admins, any.
func (h *Handler) UpdateContactMethod(ctx context.Context, request *nightbellv1.UpdateContactMethodRequest) (*nightbellv1.UpdateContactMethodResponse, error) {
	response := &nightbellv1.UpdateContactMethodResponse{}
	contactID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		err := lockContact(ctx, q, caller, contactID)
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.ContactMethod, error) { return h.findContact(ctx, q, caller, contactID) }
		response.ContactMethod, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateContactMethodRequest) error {
			if whole.GetName() == "" {
				return fault.InvalidField("name", fault.Required, "Give the contact method a name.")
			}
			return q.RenameContact(ctx, whole.GetName(), caller.OrgID, contactID)
		})
		return err
	})
	return response, edit.Done(err)
}

// lockContact keeps others from changing a contact method that the caller may change.
func lockContact(ctx context.Context, q *notifydb.Queries, caller auth.Actor, contactID uuid.UUID) error {
	owner, err := q.LockContact(ctx, caller.OrgID, contactID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return errNoContact
	case err != nil:
		return err
	case owner == nil && !mayAll(caller):
		return errSharedAdmin
	case owner != nil && *owner != caller.UserID && !mayAll(caller):
		return errNoContact
	}
	return nil
}

// SendVerification mails the link again, to one of the caller's own or, for admins, to any.
func (h *Handler) SendVerification(ctx context.Context, request *nightbellv1.SendVerificationRequest) (*nightbellv1.SendVerificationResponse, error) {
	contactID, _ := id.Parse(request.GetId())
	response := &nightbellv1.SendVerificationResponse{}
	err := h.inTx(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		verified, err := notifydb.New(tx).AskVerification(ctx, notifydb.AskVerificationParams{
			Now: now, OrgID: caller.OrgID, ID: contactID, UserID: caller.UserID, Everybody: mayAll(caller),
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
		return countMail(ctx, tx, caller, now)
	})
	return response, err
}

// countMail refuses a mail beyond the share of the organization or, of those who are no admins, their own.
func countMail(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
	if !mayAll(caller) {
		if err := notifydb.CountOwnMail(ctx, tx, caller.OrgID, caller.UserID, now); err != nil {
			return err
		}
	}
	err := notifydb.CountUnverified(ctx, tx, caller.OrgID, notify.VerificationShare, now)
	if errors.Is(err, notify.ErrTooManyMails) && !mayAll(caller) { // the contact is kept, and with it this transaction
		return errors.Join(notifydb.ReturnOwnMail(ctx, tx, caller.OrgID, caller.UserID), err)
	}
	return err
}

// DeleteContactMethod removes one of the caller's own or, for admins, any.
func (h *Handler) DeleteContactMethod(ctx context.Context, request *nightbellv1.DeleteContactMethodRequest) (*nightbellv1.DeleteContactMethodResponse, error) {
	contactID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, now time.Time) error {
		if err := lockContact(ctx, q, caller, contactID); err != nil {
			return err
		}
		read := func() (*nightbellv1.ContactMethod, error) { return h.findContact(ctx, q, caller, contactID) }
		if err := edit.IfMatch[*nightbellv1.UpdateContactMethodRequest](request.GetEtag(), read); err != nil {
			return err
		}
		use, err := q.ContactUse(ctx, notifydb.ContactUseParams{OrgID: caller.OrgID, ID: &contactID, UserID: caller.UserID, Everybody: mayAll(caller)})
		switch {
		case err != nil:
			return err
		case mayAll(caller) && len(use.PagedBy) > 0:
			return fault.Newf(fault.Conflict, "contact_method_in_use", "It is paged by %s. Take it out of there first.", policies(use.PagedBy))
		case use.OwnersLast:
			return errOwnersLast
		}
		deleted, err := q.DeleteContact(ctx, notifydb.DeleteContactParams{
			OrgID: caller.OrgID, ID: contactID, UserID: caller.UserID,
			Everybody: mayAll(caller), Now: now,
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
