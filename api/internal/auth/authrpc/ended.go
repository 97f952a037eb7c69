package authrpc

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// sessionPatience is as long as the pool's own.
const sessionPatience = 2 * time.Second

var errManySessions = fault.New(fault.Unavailable, "overloaded",
	"Your session could not be looked up right now. Send this again in a few seconds.").After(2)

// session reads what a grant is checked against; with refresh it asks the database. Tokens outlive their session, and
// whoever holds one has proved nothing else: what does not stand here is asked for by one call of an account at a time,
// and once it has ended only now and then. It never comes back: whoever signs in again has another one.
func (a *Authenticator) session(ctx context.Context, grant auth.Grant, refresh bool) (row authdb.ReadSessionRow, err error) {
	if a.hasEnded(grant) {
		return row, auth.ErrTokenExpired
	}
	known, _, ok := a.sessions.recall(grant.SessionID)
	stood := ok && isOf(known, grant)
	if row, ok := a.sessions.young(grant.SessionID, a.now()); ok && !refresh {
		return row, nil
	}
	if !stood || !refresh {
		leave, err := a.takeTurn(ctx, grant, stood)
		if err != nil {
			return row, err
		}
		defer leave()
		if a.hasEnded(grant) { // as whoever went before has found out
			return row, auth.ErrTokenExpired
		}
	}
	return a.sessions.get(grant.SessionID, a.now(), refresh, func() (authdb.ReadSessionRow, error) {
		return a.readSession(ctx, grant.SessionID)
	})
}

// takeTurn waits for the account's turn, or for that of a session that stood: guests of the demo share an account.
func (a *Authenticator) takeTurn(ctx context.Context, grant auth.Grant, stood bool) (leave func(), err error) {
	whose := grant.UserID
	if stood {
		whose = grant.SessionID
	}
	waiting, cancel := context.WithTimeout(ctx, sessionPatience)
	defer cancel()
	leave, err = a.asking.Enter(waiting, whose)
	if err != nil && ctx.Err() == nil {
		err = errManySessions
	}
	return leave, err
}

func (a *Authenticator) hasEnded(grant auth.Grant) bool {
	_, ended := a.ended.young(grant.SessionID, a.now())
	return ended
}

// isOf reports whether a session lets the holder of a grant in.
func isOf(session authdb.ReadSessionRow, grant auth.Grant) bool {
	return session.RevokedAt == nil && session.DisabledAt == nil && session.UserID == grant.UserID && session.OrgID == grant.OrgID
}

// noteEnd remembers that a session has ended, apart from those that stand, which many such must not push out.
func (a *Authenticator) noteEnd(sessionID uuid.UUID) {
	_, _ = a.ended.get(sessionID, a.now(), true, func() (struct{}, error) { return struct{}{}, nil })
	if _, _, ok := a.sessions.recall(sessionID); ok {
		a.sessions.forget(sessionID)
	}
}
