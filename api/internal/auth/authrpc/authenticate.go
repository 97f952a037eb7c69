package authrpc

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const (
	// freshness is how long a session or key is believed without asking the database
	// again. Sign-out, a changed role and a removed member take effect within it, here at once.
	freshness = 3 * time.Second
	// keyUseNoted is how exact the "last used" of an API key is.
	keyUseNoted = time.Minute
)

// errAPIKey tells a program what a person would have to do.
var errAPIKey = fault.New(fault.Unauthenticated, "api_key_invalid",
	"This API key is unknown, revoked or expired. Create a new one in Nightbell.")

// errNotBearer is for a program that sends its key as other services take theirs.
var errNotBearer = fault.New(fault.Unauthenticated, "no_token", "Send the API key as Authorization: Bearer <API key>.")

// errServiceKey is for whoever has two keys and uses the other one.
var errServiceKey = fault.New(fault.Unauthenticated, "wrong_key_kind",
	"This is a service key, which only sends alerts to one service. Use an API key, or sign in.")

// Authenticator finds out who is calling: a person by access token, or a program by
// API key, both as "Authorization: Bearer ...". It is safe for concurrent use.
type Authenticator struct {
	db       *postgres.DB
	tokens   *auth.AccessTokens
	now      func() time.Time
	sessions *memory[uuid.UUID, authdb.ReadSessionRow]
	keys     *memory[string, authdb.FindAPIKeyRow]
	// ended has sessions that have ended, asking lets one call of an account look for a session at a time.
	ended  *memory[uuid.UUID, struct{}]
	asking *fairshare.Gate[uuid.UUID]
	// strangers counts the calls that need no session.
	strangers networkQuota
	guesses   guesses
}

// NewAuthenticator believes tokens of this set.
func NewAuthenticator(db *postgres.DB, tokens *auth.AccessTokens) *Authenticator {
	return &Authenticator{
		db: db, tokens: tokens, now: time.Now,
		sessions:  newMemory[uuid.UUID, authdb.ReadSessionRow](freshness),
		keys:      newMemory[string, authdb.FindAPIKeyRow](freshness),
		ended:     newMemory[uuid.UUID, struct{}](freshness),
		asking:    fairshare.NewGate[uuid.UUID](math.MaxInt, 1),
		strangers: newStrangerQuota(time.Now),
		guesses:   newGuesses(time.Now),
	}
}

// Authenticate is the step that puts the actor into the context, and refuses a call
// without one (401) unless its method is public. Public methods do not look at the
// header, so that an expired token cannot keep anybody from signing in.
func (a *Authenticator) Authenticate(ctx context.Context, call *rpcserver.Call, message proto.Message, next rpcserver.Next) (proto.Message, error) {
	if call.Authz.GetPublic() {
		return next(ctx, message)
	}
	actor, err := a.identify(ctx, call.Header, isGrave(call))
	if err != nil {
		return nil, err
	}
	if actor.Kind == auth.APIKey {
		ctx = postgres.AsProgram(ctx)
	}
	return next(auth.WithActor(ctx, actor), message)
}

// isGrave reports whether a call is let through only by what the database says at this moment: it
// is for admins, shows a secret, or changes what stays. A key, an invitation or a role that somebody
// gave away after losing theirs would outlive them. Answers to incidents do not wait for that.
func isGrave(call *rpcserver.Call) bool {
	lasting := call.Authz.GetMutates() && !strings.HasPrefix(call.Procedure, "/nightbell.v1.IncidentService/")
	return lasting || call.Authz.GetReveals() || auth.Role(call.Authz.GetRole()).AtLeast(auth.Admin)
}

// FromRequest is Authenticate for plain handlers such as the event stream: it returns the actor, or the refusal to
// answer with. A handler that lives longer than a few seconds calls it again every five: it is refused once the token,
// the session or the membership has ended.
func (a *Authenticator) FromRequest(r *http.Request) (auth.Actor, error) {
	return a.identify(r.Context(), r.Header, false)
}

// identify finds out who is calling; with refresh it asks the database, whatever is remembered.
func (a *Authenticator) identify(ctx context.Context, header http.Header, refresh bool) (auth.Actor, error) {
	token, err := bearer(header)
	if err != nil {
		return auth.Actor{}, err
	}
	switch {
	case auth.IsAPIKey(token):
		return a.identifyKey(ctx, token, refresh)
	case auth.LooksLikeAPIKey(token):
		return auth.Actor{}, errAPIKey
	case auth.IsServiceKey(token):
		return auth.Actor{}, errServiceKey
	}
	return a.identifyPerson(ctx, token, refresh)
}

// claimed is who a call says that it is of, by what is known without asking: a signed token, a key that was
// looked up before. It may do nothing by that.
func (a *Authenticator) claimed(header http.Header) (actor auth.Actor) {
	token, _ := bearer(header)
	if auth.IsAPIKey(token) {
		if key, _, ok := a.keys.recall(string(auth.HashToken(token))); ok && stands(key, a.now()) {
			actor = auth.Actor{Kind: auth.APIKey, APIKeyID: key.ID, OrgID: key.OrgID}
		}
	} else if grant, err := a.tokens.Read(token, a.now()); err == nil {
		actor = auth.Actor{Kind: auth.User, UserID: grant.UserID, SessionID: grant.SessionID, OrgID: grant.OrgID}
	}
	return actor
}

func bearer(header http.Header) (string, error) {
	values := header.Values("Authorization")
	if len(values) == 0 && header.Get("X-API-Key") != "" || len(values) == 1 && auth.LooksLikeAPIKey(values[0]) {
		return "", errNotBearer
	}
	if len(values) == 0 {
		return "", auth.ErrNoToken
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", auth.ErrNoToken
	}
	return token, nil
}

// identifyPerson trusts the token for who it is, and the database for whether that
// still holds: the session stands and the person is a member, with the role of now.
func (a *Authenticator) identifyPerson(ctx context.Context, token string, refresh bool) (auth.Actor, error) {
	grant, err := a.tokens.Read(token, a.now())
	if err != nil {
		return auth.Actor{}, err
	}
	session, err := a.session(ctx, grant, refresh)
	if err != nil {
		return auth.Actor{}, err
	}
	if !isOf(session, grant) {
		return auth.Actor{}, auth.ErrTokenExpired
	}
	return auth.Actor{
		Kind: auth.User, UserID: grant.UserID, SessionID: grant.SessionID,
		Name: session.Name, OrgID: grant.OrgID, Role: auth.Role(session.Role),
	}, nil
}

func (a *Authenticator) readSession(ctx context.Context, sessionID uuid.UUID) (row authdb.ReadSessionRow, err error) {
	err = a.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		row, err = authdb.New(tx).ReadSession(ctx, sessionID)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && row.RevokedAt != nil {
		a.noteEnd(sessionID)
		return row, auth.ErrTokenExpired
	}
	return row, err
}

func (a *Authenticator) identifyKey(ctx context.Context, token string, refresh bool) (auth.Actor, error) {
	hash := auth.HashToken(token)
	if err := a.guesses.refuse(ctx, a.keys, hash, a.now()); err != nil {
		return auth.Actor{}, err
	}
	key, err := a.keys.get(string(hash), a.now(), refresh, func() (authdb.FindAPIKeyRow, error) {
		find := func(ctx context.Context) (authdb.FindAPIKeyRow, error) { return a.findKey(ctx, hash) }
		if known(a.keys, hash, a.now()) {
			return find(ctx)
		}
		return a.guesses.ask(ctx, a.now(), find)
	})
	if err != nil {
		return auth.Actor{}, err
	}
	if !stands(key, a.now()) {
		return auth.Actor{}, errAPIKey
	}
	return auth.Actor{
		Kind: auth.APIKey, APIKeyID: key.ID, Name: key.Name, OrgID: key.OrgID,
		Role: auth.Role(key.Role), Scopes: auth.ScopesOf(key.Scopes),
	}, nil
}

// stands reports whether a key may still be used.
func stands(key authdb.FindAPIKeyRow, now time.Time) bool {
	return key.RevokedAt == nil && (key.ExpiresAt == nil || now.Before(*key.ExpiresAt))
}

func (a *Authenticator) findKey(ctx context.Context, hash []byte) (row authdb.FindAPIKeyRow, err error) {
	err = a.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if row, err = authdb.New(tx).FindAPIKey(ctx, hash); err != nil {
			return err
		}
		return authdb.New(tx).TouchAPIKey(ctx, now, hash, now.Add(-keyUseNoted))
	})
	if errors.Is(err, pgx.ErrNoRows) {
		a.guesses.miss(hash, a.now())
		return row, errAPIKey
	}
	return row, err
}

// forgetSession and forgetKey make what was ended here end at once, instead of
// within the freshness as on other replicas.
func (a *Authenticator) forgetSession(sessionID uuid.UUID) { a.sessions.forget(sessionID) }
func (a *Authenticator) forgetKey(hash []byte)             { a.keys.forget(string(hash)) }

// forgetAccount makes what was ended of an account end at once, here; what was not is asked for again.
func (a *Authenticator) forgetAccount(userID uuid.UUID) {
	a.sessions.forgetIf(func(session authdb.ReadSessionRow) bool { return session.UserID == userID })
}

// ForgetPerson makes it take effect at once, here, that somebody has left an organization or has
// another role in it.
func (a *Authenticator) ForgetPerson(orgID, userID uuid.UUID) {
	a.sessions.forgetIf(func(session authdb.ReadSessionRow) bool { return session.OrgID == orgID && session.UserID == userID })
}

// forgetOrganization makes it take effect at once, here, that an organization is no more.
func (a *Authenticator) forgetOrganization(orgID uuid.UUID) {
	a.sessions.forgetIf(func(session authdb.ReadSessionRow) bool { return session.OrgID == orgID })
	a.keys.forgetIf(func(key authdb.FindAPIKeyRow) bool { return key.OrgID == orgID })
}
