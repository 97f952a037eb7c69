package authrpc

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/signup"
)

const (
	registeredMessage = "Account created! Welcome to Nightbell."
	// shortestDevice is how long a device's name for itself must be to be trusted
	// later: a short one could be guessed.
	shortestDevice = 16
)

// errCredentials is one answer for an unknown address and a wrong password.
var errCredentials = fault.New(fault.Unauthenticated, "bad_credentials", "Login failed. Please check your credentials.")

// AuthServer implements nightbell.v1.AuthService.
type AuthServer struct {
	db       *postgres.DB
	hasher   *auth.Hasher
	limits   *signInLimits
	sessions *sessions
	callers  *Authenticator
	// registration says who may register; verifyMail that their address is mailed a link.
	registration auth.RegistrationMode
	verifyMail   bool
	resetKey     []byte
	guest        *Guest
	// sleep waits for a turn, or until the caller is gone.
	sleep func(context.Context, time.Duration) error
}

// AuthConfig is what an AuthServer is made of.
type AuthConfig struct {
	DB *postgres.DB
	// Secret is the installation's, of auth.SecretSize bytes.
	Secret []byte
	// Tokens must be made of the same secret, and be the ones that Callers believes.
	Tokens  *auth.AccessTokens
	Callers *Authenticator
	Hasher  *auth.Hasher
	Limits  Limits
	Logger  *slog.Logger
	// Registration says who may make an account.
	Registration auth.RegistrationMode
	// VerifyMail is set where mail leaves the installation: an address is paged only once its
	// owner has opened the link that is mailed to it.
	VerifyMail bool
	// ResetKey derives the links for forgotten passwords, which are mailed where VerifyMail is set.
	ResetKey []byte
	// Guest may sign in without a password; nobody may where it is nil.
	Guest *Guest
}

// NewAuthServer fails with auth.ErrShortSecret.
func NewAuthServer(c AuthConfig) (*AuthServer, error) {
	successors, err := auth.NewSuccessors(c.Secret)
	if err != nil {
		return nil, err
	}
	limits, err := newSignInLimits(c.Limits, c.Secret)
	if err != nil {
		return nil, err
	}
	return &AuthServer{
		db: c.DB, hasher: c.Hasher, callers: c.Callers, limits: limits, sleep: sleep,
		registration: c.Registration, verifyMail: c.VerifyMail, resetKey: c.ResetKey, guest: c.Guest,
		sessions: &sessions{db: c.DB, tokens: c.Tokens, successors: successors, now: time.Now, logger: c.Logger},
	}, nil
}

// Register makes an account with its own workspace.
func (s *AuthServer) Register(ctx context.Context, request *nightbellv1.RegisterRequest) (*nightbellv1.RegisterResponse, error) {
	registration, err := signup.Registration{
		Kind: org.Kind(request.GetUserType()), Name: request.GetName(), Email: request.GetEmail(),
		OrgName: request.GetOrgName(), Phone: request.GetPhone(), Timezone: request.GetTimezone(), Plan: request.GetPlan(), VerifyMail: s.verifyMail,
	}.Cleaned()
	if err != nil {
		return nil, err
	}
	if err := registration.CheckPassword(request.GetPassword()); err != nil {
		return nil, err
	}
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		if err := s.mayRegister(ctx, tx); err != nil {
			return err
		}
		return s.limits.stranger(ctx, tx, "registrations", rpcserver.Peer(ctx), now)
	})
	if err != nil {
		return nil, err
	}
	hash, err := s.hasher.Hash(ctx, auth.Strangers, request.GetPassword())
	if err != nil {
		return nil, err
	}
	user, err := s.register(ctx, registration, hash)
	if err != nil {
		return nil, err
	}
	return &nightbellv1.RegisterResponse{User: user, Message: registeredMessage}, nil
}

func (s *AuthServer) register(ctx context.Context, registration signup.Registration, hash string) (user *nightbellv1.SignedInUser, err error) {
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		if s.registration != auth.RegistrationOpen && s.registration != "" {
			if err := authdb.New(tx).LockRegistration(ctx); err != nil {
				return err
			}
		}
		if err := s.mayRegister(ctx, tx); err != nil {
			return err
		}
		made, err := signup.Register(ctx, tx, registration, hash, now)
		if err != nil {
			return err
		}
		profile, err := authdb.New(tx).ReadProfile(ctx, made.OrgID, made.UserID)
		user = userOf(profile)
		return err
	})
	return user, err
}

func (s *AuthServer) mayRegister(ctx context.Context, tx pgx.Tx) error {
	exist, err := authdb.New(tx).AccountsExist(ctx)
	if err != nil {
		return err
	}
	return s.registration.MayRegister(exist)
}

// Login answers with tokens for the right password. Every other outcome looks and
// takes the same, whether or not the account exists.
func (s *AuthServer) Login(ctx context.Context, request *nightbellv1.LoginRequest) (*nightbellv1.LoginResponse, error) {
	signIn := signInRequest{
		email: normalEmail(request.GetEmail()), password: request.GetPassword(),
		device: deviceHash(request.GetDevice()), userAgent: userAgent(ctx), peer: rpcserver.Peer(ctx),
	}
	account, attempt, err := s.findAccount(ctx, signIn)
	if err != nil {
		return nil, err
	}
	if err := s.limits.room.wait(ctx, attempt, s.sleep); err != nil {
		return nil, err
	}
	var answer signedIn
	for range 2 { // the hash may change between the two: the password, or only how it is hashed
		if err := s.checkPassword(ctx, signIn, &account, attempt); err != nil {
			return nil, err
		}
		if answer, err = s.signIn(ctx, signIn, &account, attempt); !errors.Is(err, errHashChanged) {
			break
		}
	}
	if errors.Is(err, errHashChanged) {
		err = errCredentials
	}
	if err != nil {
		return nil, err
	}
	return &nightbellv1.LoginResponse{User: answer.user, Tokens: answer.tokens}, nil
}

// signInRequest is what a login says, and what is known of where it comes from.
type signInRequest struct {
	email, password, userAgent string
	device                     []byte // nil when none was named
	peer                       netip.Addr
}

// findAccount returns an empty account when there is none, and counts the attempt.
func (s *AuthServer) findAccount(ctx context.Context, r signInRequest) (account authdb.FindAccountRow, made attempt, err error) {
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		var err error
		if plaintext.Check(r.email) == "" {
			account, err = authdb.New(tx).FindAccount(ctx, r.device, r.email)
		}
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		made, err = s.limits.signIn(ctx, tx, r.email, r.device, account.DeviceIsKnown, r.peer, now)
		return err
	})
	return account, made, err
}

// checkPassword returns nil for the right password. It hashes outside of any
// transaction, because that takes long, and replaces a hash of an older cost.
func (s *AuthServer) checkPassword(ctx context.Context, r signInRequest, account *authdb.FindAccountRow, made attempt) error {
	lane := auth.Strangers
	if account.DeviceIsKnown {
		lane = auth.KnownDevices
	}
	matches, outdated, err := s.hasher.Verify(ctx, lane, r.password, account.PasswordHash)
	if err != nil {
		return errors.Join(err, s.db.InSystem(ctx, postgres.Identity, made.undo))
	}
	if !matches {
		return errCredentials
	}
	if account.DisabledAt != nil {
		return fault.New(fault.Denied, "account_disabled", "This account is disabled. Ask an admin of your organization.")
	}
	if outdated {
		return s.rehash(ctx, lane, r.password, account)
	}
	return nil
}

func (s *AuthServer) rehash(ctx context.Context, lane auth.Lane, password string, account *authdb.FindAccountRow) error {
	hash, err := s.hasher.Hash(ctx, lane, password)
	if err != nil {
		return err
	}
	err = s.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		return authdb.New(tx).ReplacePasswordHash(ctx, hash, account.ID, account.PasswordHash)
	})
	account.PasswordHash = hash
	return err
}

// errHashChanged says that the account has another password hash now, which it has been given.
var errHashChanged = errors.New("the password hash has changed since it was checked")

// signInLock is how long a sign-in waits for an account that is being changed or deleted: keys of services are
// looked up by the same connections.
const signInLock = time.Second

func (s *AuthServer) signIn(ctx context.Context, r signInRequest, account *authdb.FindAccountRow, made attempt) (answer signedIn, err error) {
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		// Whoever changes the password waits, and then ends this session, or has changed it since it was checked.
		checked := account.PasswordHash
		err := tx.QueryRow(ctx, `SELECT password_hash FROM users WHERE id = $1 FOR SHARE`, account.ID).Scan(&account.PasswordHash)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errCredentials
		case err != nil:
			return err
		case account.PasswordHash != checked:
			return errHashChanged
		}
		if err := remember(ctx, tx, account.ID, r.device, now); err != nil {
			return err
		}
		if answer, err = s.sessions.begin(ctx, tx, account.ID, r.userAgent, now); err != nil {
			return err
		}
		return made.succeeded(ctx, tx) // last, because whoever signs in from this network waits for the lock
	}, postgres.LockTimeout(signInLock))
	return answer, err
}

// atNow runs fn in one transaction, at the database's time.
func (s *AuthServer) atNow(ctx context.Context, fn func(context.Context, pgx.Tx, time.Time) error, options ...postgres.TxOption) error {
	return s.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return fn(ctx, tx, now)
	}, options...)
}

// sleep returns the context's error when the caller gave up.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func remember(ctx context.Context, tx pgx.Tx, userID uuid.UUID, device []byte, now time.Time) error {
	if device == nil {
		return nil
	}
	if err := authdb.New(tx).RememberDevice(ctx, userID, device, now); err != nil {
		return err
	}
	return authdb.New(tx).ForgetOldDevices(ctx, userID)
}

// Refresh exchanges a refresh token for a new pair.
func (s *AuthServer) Refresh(ctx context.Context, request *nightbellv1.RefreshRequest) (*nightbellv1.RefreshResponse, error) {
	answer, err := s.sessions.refresh(ctx, request.GetRefreshToken())
	if err != nil {
		return nil, err
	}
	return &nightbellv1.RefreshResponse{Tokens: answer.tokens, User: answer.user}, nil
}

// Logout ends the session of a refresh token. An unknown token is not an error.
func (s *AuthServer) Logout(ctx context.Context, request *nightbellv1.LogoutRequest) (*nightbellv1.LogoutResponse, error) {
	sessionID, ended, err := s.sessions.end(ctx, request.GetRefreshToken())
	if err != nil {
		return nil, err
	}
	if ended {
		s.callers.forgetSession(sessionID)
	}
	return &nightbellv1.LogoutResponse{}, nil
}

// GetMe tells who is calling: a person or a key, and in which organization.
func (s *AuthServer) GetMe(ctx context.Context, _ *nightbellv1.GetMeRequest) (*nightbellv1.GetMeResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.GetMeResponse{OrgId: actor.OrgID.String()}
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		q := authdb.New(tx)
		if actor.Kind == auth.APIKey {
			if answer.OrgName, err = q.ReadOrgName(ctx, actor.OrgID); err == nil {
				answer.ApiKey, err = findAPIKey(ctx, q, actor, actor.APIKeyID)
			}
			return err
		}
		profile, err := q.ReadProfile(ctx, actor.OrgID, actor.UserID)
		if errors.Is(err, pgx.ErrNoRows) {
			return auth.ErrTokenExpired
		}
		answer.User, answer.OrgName = userOf(profile), profile.OrgName
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// deviceHash is nil for a device that named itself too shortly to be told apart.
func deviceHash(device string) []byte {
	if len(device) < shortestDevice {
		return nil
	}
	return auth.HashToken(device)
}

func userAgent(ctx context.Context) string {
	call := rpcserver.CallFrom(ctx)
	if call == nil {
		return ""
	}
	agent := call.Header.Get("User-Agent")
	agent = strings.ToValidUTF8(strings.ReplaceAll(agent, "\x00", ""), "")
	return strings.ToValidUTF8(agent[:min(len(agent), longestUserAgent)], "")
}
