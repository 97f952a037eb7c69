package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const (
	// ResetLife is how long the link for a forgotten password works.
	ResetLife = time.Hour
	// NoticeLife is how long the notice of a changed password is tried.
	NoticeLife = 24 * time.Hour
	// ResetsAnHour is how many such mails one account is sent in an hour, whoever asks.
	ResetsAnHour = 3
	// resetPrefix lets secret scanners recognise a leaked token.
	resetPrefix = "nbr_"
)

// ErrResetUnknown and its like say why a link for a forgotten password leads nowhere.
var (
	ErrResetUnknown = fault.New(fault.NotFound, "reset_link_not_found", "This link is not known. Open it again from the mail, or ask for a new one.")
	ErrResetUsed    = fault.New(fault.NotFound, "reset_link_used", "This link was used already, or the password was changed since. Ask for a new one.")
	ErrResetExpired = fault.New(fault.NotFound, "reset_link_expired", "This link has expired: it works for an hour. Ask for a new one.")
	ErrNoMailServer = fault.New(fault.Conflict, "no_mail_server", "To reset your password, please contact support.")
)

// Reset is what decides whether a link for a forgotten password works.
type Reset struct {
	ExpiresAt time.Time
	UsedAt    *time.Time
}

// Open returns nil while the link works, and the refusal otherwise.
func (r Reset) Open(now time.Time) error {
	switch {
	case r.UsedAt != nil:
		return ErrResetUsed
	case !now.Before(r.ExpiresAt):
		return ErrResetExpired
	default:
		return nil
	}
}

// ResetToken is the secret of such a link. It is derived from the row's id, so that the mail can be made
// again without a stored secret; key must be used for nothing else.
func ResetToken(key []byte, reset uuid.UUID) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("nightbell password reset\x00"))
	mac.Write(reset[:])
	return resetPrefix + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// ResetURL is where a token is used. It stands after #, which browsers send to no server.
func ResetURL(publicURL, token string) string { return publicURL + "/reset-password#" + token }
