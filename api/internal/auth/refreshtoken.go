package auth

import (
	"encoding/base64"
	"strconv"
	"time"
)

// How long a sign-in lasts (documented in SECURITY.md): it ends after SessionIdle
// without use, and SessionLife after it began in any case.
const (
	SessionIdle = 30 * 24 * time.Hour
	SessionLife = 90 * 24 * time.Hour
)

// RefreshGrace is how long a used refresh token still gives the same successor, so that two tabs do
// not sign the responder out. After it, until that successor was used, it gives another one.
const RefreshGrace = 10 * time.Second

// refreshPrefix lets secret scanners recognise a leaked token.
const refreshPrefix = "nbr_"

// NewRefreshToken returns an opaque token of 256 random bits. Only its hash is
// stored (HashToken).
func NewRefreshToken() string {
	return refreshPrefix + base64.RawURLEncoding.EncodeToString(random256())
}

// Successors derives the token that follows a refresh token. The same use of a token has the same
// successor, so the grace needs no stored secrets.
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

// Of returns the token that follows this one when it is used at a time, to the microsecond.
func (s *Successors) Of(token string, usedAt time.Time) string {
	use := strconv.AppendInt([]byte(token+" "), usedAt.UnixMicro(), 10)
	return refreshPrefix + base64.RawURLEncoding.EncodeToString(mac(s.key, use))
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

// TokenUse is what became of a refresh token.
type TokenUse struct {
	// UsedAt is zero while it is unused, and as long nothing follows it.
	UsedAt time.Time
	// Successor is what follows it.
	Successor SuccessorState
}

// SuccessorState says whether a token's successor was used.
type SuccessorState string

// What may be of a successor. A token that was replaced counts as used, and has none.
const (
	NoSuccessor     SuccessorState = ""
	UnusedSuccessor SuccessorState = "unused"
	UsedSuccessor   SuccessorState = "used"
)

// RefreshVerdict says what to do with a refresh token that was presented.
type RefreshVerdict string

// The verdicts.
const (
	Rotate    RefreshVerdict = "rotate"      // first use: mark it used, store its successor
	Repeat    RefreshVerdict = "repeat"      // used a moment ago: the same successor again
	Replace   RefreshVerdict = "replace"     // nobody used its successor, so the answer was lost: another one in its place
	Reuse     RefreshVerdict = "reuse"       // its successor was used, or replaced it: somebody has a copy; end the session
	SignInNew RefreshVerdict = "sign_in_new" // the session is over
)

// JudgeRefresh decides over a token that exists. Reuse is judged even when the session is over,
// because it is worth an alarm. A replaced successor ends the session when it comes after all: one of
// the two who hold tokens is not who signed in.
func JudgeRefresh(session Session, use TokenUse, now time.Time) RefreshVerdict {
	used := !use.UsedAt.IsZero()
	recent := used && now.Sub(use.UsedAt) <= RefreshGrace
	switch {
	case !session.RevokedAt.IsZero():
		return SignInNew
	case used && (use.Successor == NoSuccessor || use.Successor == UsedSuccessor && !recent):
		return Reuse
	case session.IsOver(now):
		return SignInNew
	case recent:
		return Repeat
	case used:
		return Replace
	default:
		return Rotate
	}
}
