package notify

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// MailShare is how many mails a day one organization may send to addresses that are not
// verified: Most, or MostBefore while no address of it is. Once they are used up, one more each Every;
// none when that is zero.
type MailShare struct {
	Most, MostBefore int
	Every            time.Duration
}

// The shares. Both are counted together, so that verification mails leave room for pages of
// the last resort.
var (
	VerificationShare = MailShare{Most: 20, MostBefore: 3}
	LastResortShare   = MailShare{Most: 30, MostBefore: 10, Every: time.Hour}
)

// ErrTooManyMails is the refusal when the share of the day is used up.
var ErrTooManyMails = fault.New(fault.Limited, "too_many_mails",
	"Your organization has sent all the mails to unconfirmed addresses that it may send in a day. Try again tomorrow, or open the links that were sent.").After(3600)

// MostMailsOfPerson is how many of VerificationShare somebody who is no admin has sent in a day, so that it
// lasts for invitations and the others.
const MostMailsOfPerson = 5

// ErrTooManyOwnMails is the refusal when one person has had that many sent.
var ErrTooManyOwnMails = fault.Newf(fault.Limited, "too_many_mails",
	"You have had %d mails to unconfirmed addresses sent today. Open the link of the latest one, try again tomorrow, or ask an admin to send it.", MostMailsOfPerson).After(3600)

// ErrPageWaits says why a page of the last resort waits: it is told with others, not dropped.
var ErrPageWaits = errors.New("the address is not confirmed yet, so after the first mails of a day it gets one an hour; this page goes out with the next one, or at once when the link that was mailed to it is opened")

// ErrUnverified says why an address is not paged.
var ErrUnverified = Permanent(fmt.Errorf("the address is not confirmed yet; open the link that was mailed to it, or have it sent again under On-call, My contact methods"))

// VerifyClaims is what the link of a verification mail stands for: whoever opens it reads
// the mail of this contact method.
type VerifyClaims struct {
	OrgID, ContactMethodID uuid.UUID
	// Expires is kept to the second.
	Expires time.Time
}

// VerifyLifetime is how long the link of a verification mail works.
const VerifyLifetime = 7 * 24 * time.Hour

const verifyClaims = 1 + 2*16 + 8

// MintVerify makes the token of a verification link; key must be used for nothing else.
func MintVerify(key []byte, claims VerifyClaims) string {
	token := make([]byte, 0, verifyClaims+ackMAC)
	token = append(token, ackVersion)
	token = append(token, claims.OrgID[:]...)
	token = append(token, claims.ContactMethodID[:]...)
	token = binary.BigEndian.AppendUint64(token, uint64(claims.Expires.Unix()))
	return base64.RawURLEncoding.EncodeToString(append(token, macOf(key, "verify", token)...))
}

// OpenVerify reads a token that MintVerify made with the same key, and fails with
// ErrAckInvalid. Whether it has expired is for the caller to ask the database's clock.
func OpenVerify(key []byte, text string) (VerifyClaims, error) {
	token, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(token) != verifyClaims+ackMAC || token[0] != ackVersion ||
		!hmac.Equal(token[verifyClaims:], macOf(key, "verify", token[:verifyClaims])) {
		return VerifyClaims{}, ErrAckInvalid
	}
	claims := VerifyClaims{Expires: time.Unix(int64(binary.BigEndian.Uint64(token[1+2*16:])), 0).UTC()}
	copy(claims.OrgID[:], token[1:])
	copy(claims.ContactMethodID[:], token[1+16:])
	return claims, nil
}

// Verification is the mail that asks whether an address is its owner's. It holds no text of
// the one who entered the address: he may be a stranger to the one who reads it.
type Verification struct {
	ID, OrgID uuid.UUID
	To        Contact
	// URL opens the page with the button; opening it changes nothing.
	URL    string
	SentAt time.Time
}

// Envelope is to whom it goes: nobody's name is written on it.
func (v Verification) Envelope() Envelope { return Envelope{v.ID, v.OrgID, v.To, "", v.SentAt} }

// Subject is the same for everybody.
func (v Verification) Subject() string { return "Confirm this e-mail address for Nightbell" }

// Text is the whole mail.
func (v Verification) Text() string {
	return "Welcome to Nightbell.\n\nSomebody entered this e-mail address, so that Nightbell can page it. If it was you, open this link and press the button:\n\n" +
		v.URL + "\n\nIt works for seven days. If it was not you, do nothing: no page is sent here.\n"
}
