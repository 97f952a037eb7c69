package auth

import (
	"encoding/base64"
	"time"
)

// How long a sign-in lasts (documented in SECURITY.md): it ends after SessionIdle
// without use, and SessionLife after it began in any case.
const (
	SessionIdle = 30 * 24 * time.Hour
	SessionLife = 90 * 24 * time.Hour
)

// RefreshGrace is how long a used refresh token still gives the same successor, so
// that two tabs, or a lost answer at 3 a.m., do not sign the responder out.
const RefreshGrace = 10 * time.Second

// refreshPrefix lets secret scanners recognise a leaked token.
const refreshPrefix = "nbr_"

// NewRefreshToken returns an opaque token of 256 random bits. Only its hash is
// stored (HashToken).
func NewRefreshToken() string {
	return refreshPrefix + base64.RawURLEncoding.EncodeToString(random256())
}

// Successors derives the token that follows a refresh token. The same token has the
// same successor, so the grace needs no stored secrets.
type Successors struct{ key []byte }

// NewSuccessors derives from the installation's secret of 32 bytes; otherwise it
// fails with ErrShortSecret.
func NewSuccessors(secret []byte) (*Successors, error) {
	key, err := deriveKey(secret, "refresh token")
	if err != nil {
		return nil, err
	}
	return &Successors{key: key}, nil
}

// Of returns the token that follows this one.
func (s *Successors) Of(token string) string {
	return refreshPrefix + base64.RawURLEncoding.EncodeToString(mac(s.key, []byte(token)))
}

// Session is a stored sign-in: a family of refresh tokens on one device.
type Session struct {
	CreatedAt  time.Time
	LastUsedAt time.Time
	// RevokedAt is zero while the session is good.
	RevokedAt time.Time
}

// Ends is when the session ends when it is not used again.
func (s Session) Ends() time.Time {
	absolute, idle := s.CreatedAt.Add(SessionLife), s.LastUsedAt.Add(SessionIdle)
	if idle.Before(absolute) {
		return idle
	}
	return absolute
}

// IsOver reports whether the session was ended, or has lasted or idled too long.
func (s Session) IsOver(now time.Time) bool {
	return !s.RevokedAt.IsZero() || !now.Before(s.Ends())
}

// RefreshVerdict says what to do with a refresh token that was presented.
type RefreshVerdict string

// The verdicts.
const (
	Rotate    RefreshVerdict = "rotate"      // first use: mark it used, store its successor
	Repeat    RefreshVerdict = "repeat"      // used a moment ago: the same successor again
	Reuse     RefreshVerdict = "reuse"       // used before: somebody has a copy; end the session
	SignInNew RefreshVerdict = "sign_in_new" // the session is over
)

// JudgeRefresh decides over a token that exists; usedAt is zero while it is unused.
// Reuse is judged even when the session is over, because it is worth an alarm.
func JudgeRefresh(session Session, usedAt, now time.Time) RefreshVerdict {
	switch {
	case !session.RevokedAt.IsZero():
		return SignInNew
	case !usedAt.IsZero() && now.Sub(usedAt) > RefreshGrace:
		return Reuse
	case session.IsOver(now):
		return SignInNew
	case !usedAt.IsZero():
		return Repeat
	default:
		return Rotate
	}
}
