// Package signup makes an account with a workspace that can page.
package signup

import (
	"cmp"
	"context"
	"net/mail"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// ErrEmailTaken is the answer to a second registration with one e-mail address.
var ErrEmailTaken = fault.New(fault.Conflict, "email_taken",
	"An account with this e-mail address exists already. Log in, or register with another address.")

// Registration is a new account with its own workspace.
type Registration struct {
	Kind  org.Kind
	Name  string
	Email string
	// OrgName is needed for an organization; an individual's workspace has the
	// person's name.
	OrgName string
	// Phone may be empty; Timezone means UTC then.
	Phone    string
	Timezone string
	// Plan is kept and limits nothing; empty is Starter.
	Plan string
	// VerifyMail mails a link to Email, which is paged only after it was opened.
	VerifyMail bool
}

// The plans that can be registered for.
const (
	Starter      = "starter"
	Professional = "professional"
)

// trial is how long the trial of a plan that costs something is (specification, section 9).
const trial = 14 * 24 * time.Hour

func trialEnd(plan string, now time.Time) *time.Time {
	if plan != Professional {
		return nil
	}
	end := now.Add(trial)
	return &end
}

// Registered names what a registration made.
type Registered struct {
	OrgID, UserID              uuid.UUID
	ContactMethodID, PolicyID  uuid.UUID
	OrgName, PersonName, Email string
}

// Cleaned returns the registration as it is stored, or the refusal that names the
// field to change.
func (r Registration) Cleaned() (Registration, error) {
	if !r.Kind.Known() {
		return Registration{}, fault.InvalidField("user_type", fault.NotOneOf, "Choose individual or organization.")
	}
	var err error
	if r.Name, err = org.CleanName("name", r.Name); err != nil {
		return Registration{}, err
	}
	if r.Kind == org.Individual {
		r.OrgName = r.Name
	}
	if r.OrgName, err = org.CleanName("org_name", r.OrgName); err != nil {
		return Registration{}, err
	}
	if r.Email, err = cleanEmail(r.Email); err != nil {
		return Registration{}, err
	}
	if r.Phone, err = CleanPhone(r.Phone); err != nil {
		return Registration{}, err
	}
	zone, err := org.Zone("timezone", r.Timezone)
	if err != nil {
		return Registration{}, err
	}
	r.Timezone = zone.String()
	return r, nil
}

// phone is a number as people write it: digits, grouped, after a plus sign or not.
var phone = regexp.MustCompile(`^\+?[0-9 ()./-]+$`)

// CleanPhone returns a telephone number as it is stored, or none, or the refusal that says what to write.
func CleanPhone(text string) (string, error) {
	if text = strings.TrimSpace(text); !isPhone(text) {
		return "", fault.InvalidField("phone", fault.BadFormat, "This is not a phone number. Leave it empty, or write it like +49 30 1234567.")
	}
	return text, nil
}

// isPhone holds for no number and for 5 to 15 digits (ITU-T E.164).
func isPhone(text string) bool {
	digits := 0
	for _, r := range text {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return text == "" || (len(text) <= 40 && phone.MatchString(text) && digits >= 5 && digits <= 15)
}

func cleanEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > 254 || plaintext.Check(email) != "" {
		return "", fault.InvalidField("email", fault.BadFormat, "This is not an e-mail address. Write it like name@example.com.")
	}
	return email, nil
}

// CheckPassword is auth.CheckPassword with all that the registration tells of the person.
func (r Registration) CheckPassword(password string) error {
	return auth.CheckPassword(password, r.Name, r.Email, r.OrgName)
}

// Register stores a cleaned registration: the organization, its owner, reached by e-mail, and a policy that pages them,
// so that the first alert wakes somebody. It runs as nightbell_system, because accounts belong to no organization. A
// second account for one e-mail address is ErrEmailTaken, and nothing can follow in that transaction.
func Register(ctx context.Context, tx pgx.Tx, r Registration, passwordHash string, now time.Time) (Registered, error) {
	made := Registered{OrgID: id.New(), UserID: id.New(), OrgName: r.OrgName, PersonName: r.Name, Email: r.Email}
	err := authdb.New(tx).InsertAccount(ctx, authdb.InsertAccountParams{
		ID: made.UserID, Name: r.Name, Email: r.Email, PasswordHash: passwordHash,
		Phone: r.Phone, Timezone: r.Timezone, CreatedAt: now,
	})
	if postgres.ConstraintName(err) == "users_email_key" {
		return Registered{}, ErrEmailTaken
	}
	if err != nil {
		return Registered{}, err
	}
	if err := registerWorkspace(ctx, tx, r, made, now); err != nil {
		return Registered{}, err
	}
	if made.ContactMethodID, err = notifydb.InsertFirstContact(ctx, tx, made.OrgID, made.UserID, r.Email, r.VerifyMail, now); err != nil {
		return Registered{}, err
	}
	if r.VerifyMail {
		if err := notifydb.CountUnverified(ctx, tx, made.OrgID, notify.VerificationShare, now); err != nil {
			return Registered{}, err
		}
	}
	if made.PolicyID, err = escalationdb.InsertDefaultPolicy(ctx, tx, made.OrgID, made.UserID, now); err != nil {
		return Registered{}, err
	}
	return made, orgdb.New(tx).SetDefaultPolicy(ctx, made.PolicyID, made.OrgID)
}

func registerWorkspace(ctx context.Context, tx pgx.Tx, r Registration, made Registered, now time.Time) error {
	store := orgdb.New(tx)
	err := store.InsertOrg(ctx, orgdb.InsertOrgParams{ID: made.OrgID, Kind: string(r.Kind), Name: r.OrgName, Plan: cmp.Or(r.Plan, Starter), TrialEndsAt: trialEnd(r.Plan, now), CreatedAt: now})
	if err != nil {
		return err
	}
	return store.InsertMember(ctx, orgdb.InsertMemberParams{
		OrgID: made.OrgID, UserID: made.UserID, Role: string(auth.Owner), CreatedAt: now,
	})
}
