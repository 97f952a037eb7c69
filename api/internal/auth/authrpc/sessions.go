package authrpc

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// longestUserAgent is how much of a browser's self-description is kept, in bytes.
const longestUserAgent = 300

// mostSessions is how many an account has, ended ones counted.
const mostSessions = 100

// sessions begins, continues and ends sign-ins.
type sessions struct {
	db         *postgres.DB
	tokens     *auth.AccessTokens
	successors *auth.Successors
	now        func() time.Time
	logger     *slog.Logger
}

// signedIn is what a sign-in or a refresh answers with.
type signedIn struct {
	tokens *nightbellv1.Tokens
	user   *nightbellv1.SignedInUser
}

// begin starts a session in the person's home organization, within tx.
func (s *sessions) begin(ctx context.Context, tx pgx.Tx, userID uuid.UUID, userAgent string, now time.Time) (signedIn, error) {
	store := authdb.New(tx)
	home, err := store.HomeOf(ctx, userID)
	if errors.Is(err, pgx.ErrNoRows) {
		return signedIn{}, fault.New(fault.Denied, "no_organization",
			"Your account belongs to no organization any more. Ask an admin to invite you.")
	}
	if err != nil {
		return signedIn{}, err
	}
	return s.beginIn(ctx, tx, auth.Grant{UserID: userID, OrgID: home.OrgID, Role: auth.Role(home.Role)}, userAgent, now, now)
}

// beginIn starts a session in the organization that the grant names, of a sign-in at signedInAt, and forgets
// what is then one too many of the account.
func (s *sessions) beginIn(ctx context.Context, tx pgx.Tx, grant auth.Grant, userAgent string, signedInAt, now time.Time) (signedIn, error) {
	if err := authdb.New(tx).DeleteOldSessions(ctx, grant.UserID, mostSessions-1); err != nil {
		return signedIn{}, err
	}
	return s.beginBeside(ctx, tx, grant, userAgent, signedInAt, now)
}

// beginBeside is beginIn for an account of many people, whose sessions end nobody else's.
func (s *sessions) beginBeside(ctx context.Context, tx pgx.Tx, grant auth.Grant, userAgent string, signedInAt, now time.Time) (signedIn, error) {
	store := authdb.New(tx)
	grant.SessionID = id.New()
	err := store.InsertSession(ctx, authdb.InsertSessionParams{
		ID: grant.SessionID, UserID: grant.UserID, OrgID: grant.OrgID, UserAgent: userAgent, CreatedAt: signedInAt, Now: now,
	})
	if err != nil {
		return signedIn{}, err
	}
	refresh := auth.NewRefreshToken()
	if err := store.InsertRefreshToken(ctx, auth.HashToken(refresh), grant.SessionID, now); err != nil {
		return signedIn{}, err
	}
	return s.answer(ctx, tx, grant, refresh, auth.Session{CreatedAt: signedInAt, LastUsedAt: now})
}

// refresh exchanges a refresh token. A token that is not good any more is
// auth.ErrTokenExpired, whatever the reason.
func (s *sessions) refresh(ctx context.Context, token string) (signedIn, error) {
	var answer signedIn
	var verdict auth.RefreshVerdict
	var row authdb.LockRefreshTokenRow
	err := s.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) (err error) {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if row, err = authdb.New(tx).LockRefreshToken(ctx, auth.HashToken(token)); err != nil {
			return err
		}
		use, err := s.use(ctx, tx, row, token)
		if err != nil {
			return err
		}
		verdict = auth.JudgeRefresh(storedSession(row), use, now)
		if row.DisabledAt != nil {
			verdict = auth.SignInNew
		}
		answer, err = s.carryOut(ctx, tx, verdict, row, token, use.UsedAt, now)
		return err
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return signedIn{}, auth.ErrTokenExpired
	case err != nil:
		return signedIn{}, err
	case verdict == auth.Reuse:
		s.logger.WarnContext(ctx, "a used refresh token was presented again; the session was ended",
			"session_id", row.SessionID, "user_id", row.UserID, "org_id", row.OrgID)
		return signedIn{}, auth.ErrTokenExpired
	case verdict == auth.SignInNew:
		return signedIn{}, auth.ErrTokenExpired
	}
	return answer, nil
}

// use reads what became of a token.
func (s *sessions) use(ctx context.Context, tx pgx.Tx, row authdb.LockRefreshTokenRow, token string) (auth.TokenUse, error) {
	if row.UsedAt == nil {
		return auth.TokenUse{}, nil
	}
	use := auth.TokenUse{UsedAt: *row.UsedAt, Successor: auth.UnusedSuccessor}
	usedAt, err := authdb.New(tx).FindRefreshToken(ctx, auth.HashToken(s.successors.Of(token, use.UsedAt)))
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		use.Successor = auth.NoSuccessor
		return use, nil
	case usedAt != nil:
		use.Successor = auth.UsedSuccessor
	}
	return use, err
}

// carryOut does within tx what was judged. Ending a session is not an error here:
// the transaction must commit.
func (s *sessions) carryOut(ctx context.Context, tx pgx.Tx, verdict auth.RefreshVerdict, row authdb.LockRefreshTokenRow, token string, usedAt, now time.Time) (signedIn, error) {
	store := authdb.New(tx)
	session := storedSession(row)
	switch verdict {
	case auth.Reuse:
		return signedIn{}, store.RevokeSession(ctx, now, "reuse", row.SessionID)
	case auth.SignInNew:
		return signedIn{}, store.RevokeSession(ctx, now, "expired", row.SessionID)
	case auth.Replace: // what was lost may not be used any more
		if err := store.MarkRefreshTokenUsed(ctx, now, auth.HashToken(s.successors.Of(token, usedAt))); err != nil {
			return signedIn{}, err
		}
		fallthrough
	case auth.Rotate:
		usedAt = now
		if err := rotate(ctx, store, row.SessionID, token, s.successors.Of(token, usedAt), now); err != nil {
			return signedIn{}, err
		}
		session.LastUsedAt = now
	case auth.Repeat: // the same answer again, nothing to store
	}
	grant := auth.Grant{UserID: row.UserID, OrgID: row.OrgID, SessionID: row.SessionID, Role: auth.Role(row.Role)}
	return s.answer(ctx, tx, grant, s.successors.Of(token, usedAt), session)
}

func rotate(ctx context.Context, store *authdb.Queries, sessionID uuid.UUID, used, successor string, now time.Time) error {
	if err := store.MarkRefreshTokenUsed(ctx, now, auth.HashToken(used)); err != nil {
		return err
	}
	if err := store.InsertRefreshToken(ctx, auth.HashToken(successor), sessionID, now); err != nil {
		return err
	}
	return store.TouchSession(ctx, now, sessionID)
}

// end revokes the session of a refresh token and returns its id; ended is false when
// there was nothing to end.
func (s *sessions) end(ctx context.Context, token string) (sessionID uuid.UUID, ended bool, err error) {
	err = s.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		sessionID, err = authdb.New(tx).RevokeSessionOfToken(ctx, now, auth.HashToken(token))
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, false, nil
	}
	return sessionID, err == nil, err
}

// answer signs an access token that does not outlive the session.
func (s *sessions) answer(ctx context.Context, tx pgx.Tx, grant auth.Grant, refresh string, session auth.Session) (signedIn, error) {
	profile, err := authdb.New(tx).ReadProfile(ctx, grant.OrgID, grant.UserID)
	if err != nil {
		return signedIn{}, err
	}
	remaining := session.Ends().Sub(session.LastUsedAt)
	now := s.now()
	access, life, err := s.tokens.Issue(grant, now, now.Add(remaining))
	if err != nil {
		return signedIn{}, err
	}
	return signedIn{
		tokens: &nightbellv1.Tokens{AccessToken: access, RefreshToken: refresh, ExpiresInSeconds: int32(life.Seconds())},
		user:   userOf(profile),
	}, nil
}

func storedSession(row authdb.LockRefreshTokenRow) auth.Session {
	session := auth.Session{CreatedAt: row.CreatedAt, LastUsedAt: row.LastUsedAt}
	if row.RevokedAt != nil {
		session.RevokedAt = *row.RevokedAt
	}
	return session
}

func userOf(p authdb.ReadProfileRow) *nightbellv1.SignedInUser {
	return &nightbellv1.SignedInUser{
		Id: p.ID.String(), Name: p.Name, Email: p.Email, Timezone: p.Timezone, Role: p.Role,
		OrgId: p.OrgID.String(), OrgName: p.OrgName, UserType: p.OrgKind,
	}
}
