package authrpc

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
	"github.com/nightbell/nightbell/api/internal/signup"
)

// errNoAPIKey is one answer for a key that never was and a key of somebody else.
var errNoAPIKey = fault.New(fault.NotFound, "api_key_not_found", "API key not found")

// APIKeyServer implements nightbell.v1.ApiKeyService.
type APIKeyServer struct {
	db      *postgres.DB
	callers *Authenticator
}

// NewAPIKeyServer makes revoked keys end at once where callers are checked by callers.
func NewAPIKeyServer(db *postgres.DB, callers *Authenticator) *APIKeyServer {
	return &APIKeyServer{db: db, callers: callers}
}

// CreateApiKey answers with the key itself, once and never again.
func (s *APIKeyServer) CreateApiKey(ctx context.Context, request *nightbellv1.CreateApiKeyRequest) (*nightbellv1.CreateApiKeyResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	wanted, err := readAPIKey(request, actor)
	if err != nil {
		return nil, err
	}
	key, shown := auth.NewAPIKey()
	row := authdb.InsertAPIKeyParams{
		OrgID: actor.OrgID, ID: id.New(), Name: wanted.name, Prefix: shown, Hash: auth.HashToken(key),
		Role: string(wanted.role), Scopes: wanted.scopes,
	}
	if actor.Kind == auth.User {
		row.CreatedBy = &actor.UserID
	}
	err = s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		if row.CreatedAt, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		if days := request.GetExpiresInDays(); days > 0 {
			expires := row.CreatedAt.AddDate(0, 0, int(days))
			row.ExpiresAt = &expires
		}
		return authdb.New(tx).InsertAPIKey(ctx, row)
	})
	if err != nil {
		return nil, err
	}
	return &nightbellv1.CreateApiKeyResponse{Key: key, ApiKey: &nightbellv1.ApiKey{
		Id: row.ID.String(), Name: row.Name, Prefix: row.Prefix, Role: row.Role, Scopes: row.Scopes,
		CreatedAt: timestamppb.New(row.CreatedAt), ExpiresAt: timestamp(row.ExpiresAt),
	}}, nil
}

// apiKey is what a key may do, as it is asked for: checked, and not stored yet.
type apiKey struct {
	name   string
	role   auth.Role
	scopes []string
}

// askedKey is what creating and updating a key have in common.
type askedKey interface {
	GetName() string
	GetRole() string
	GetScopes() []string
}

func readAPIKey(request askedKey, maker auth.Actor) (apiKey, error) {
	name, err := org.CleanName("name", request.GetName())
	if err != nil {
		return apiKey{}, err
	}
	role, err := roleOfKey(request.GetRole(), maker)
	if err != nil {
		return apiKey{}, err
	}
	scopes := slices.Compact(slices.Sorted(slices.Values(request.GetScopes())))
	if len(scopes) == 0 {
		return apiKey{}, fault.InvalidField("scopes", fault.Required, "Say what the key is for: choose one scope at least.")
	}
	if err := checkHolds(maker, scopes); err != nil {
		return apiKey{}, err
	}
	return apiKey{name, role, scopes}, nil
}

// checkHolds keeps a key from those that may do more: whoever reads, changes or revokes them has to
// hold each of their scopes.
func checkHolds(actor auth.Actor, scopes []string) error {
	for _, scope := range scopes {
		if err := actor.Holds(auth.Scope(scope)); err != nil {
			return err
		}
	}
	return nil
}

// roleOfKey never gives a key more than its maker may do.
func roleOfKey(wanted string, maker auth.Actor) (auth.Role, error) {
	role := auth.Role(wanted)
	if wanted == "" {
		role = auth.Responder
	}
	if !role.Known() || role == auth.Owner {
		return "", fault.InvalidField("role", fault.NotOneOf, "Choose admin, responder or viewer.")
	}
	if !maker.Role.AtLeast(role) {
		return "", fault.Newf(fault.Denied, "role_too_low", "Your role is %s; you cannot make a key with more.", maker.Role)
	}
	return role, nil
}

// ListApiKeys lists the organization's keys, the newest first, revoked ones too.
func (s *APIKeyServer) ListApiKeys(ctx context.Context, request *nightbellv1.ListApiKeysRequest) (*nightbellv1.ListApiKeysResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.ListApiKeysResponse{}
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		limit := cmp.Or(int(request.GetLimit()), page.Longest)
		asked := authdb.ListAPIKeysParams{OrgID: actor.OrgID, Most: new(int32(limit) + 1), Held: heldBy(actor)}
		if cursor := request.GetCursor(); cursor != "" {
			before, last, err := page.Decode(actor.OrgID, cursor)
			if err != nil {
				return err
			}
			asked.Before, asked.BeforeID = &before, (*uuid.UUID)(&last)
		}
		rows, err := authdb.New(tx).ListAPIKeys(ctx, asked)
		rows, answer.NextCursor = page.Next(rows, limit, func(last authdb.ListAPIKeysRow) string {
			return page.Encode(actor.OrgID, last.CreatedAt, last.ID)
		})
		answer.ApiKeys = make([]*nightbellv1.ApiKey, len(rows))
		for i, row := range rows {
			answer.ApiKeys[i] = apiKeyOf(row)
		}
		return err
	})
	return answer, err
}

// heldBy is the scopes of a key, to which those that hold others are not shown; nil for a person.
func heldBy(actor auth.Actor) (scopes []string) {
	if actor.Kind != auth.APIKey {
		return nil
	}
	scopes = []string{}
	for _, scope := range actor.Scopes {
		scopes = append(scopes, string(scope))
	}
	return scopes
}

// GetApiKey gives one, without the key itself.
func (s *APIKeyServer) GetApiKey(ctx context.Context, request *nightbellv1.GetApiKeyRequest) (*nightbellv1.GetApiKeyResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.GetApiKeyResponse{}
	keyID, _ := id.Parse(request.GetId())
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		answer.ApiKey, err = findAPIKey(ctx, authdb.New(tx), actor, keyID)
		return err
	})
	return answer, err
}

// UpdateApiKey changes the fields that the request names.
func (s *APIKeyServer) UpdateApiKey(ctx context.Context, request *nightbellv1.UpdateApiKeyRequest) (*nightbellv1.UpdateApiKeyResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.UpdateApiKeyResponse{}
	keyID, _ := id.Parse(request.GetId())
	var hash []byte
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		q := authdb.New(tx)
		if hash, err = q.LockAPIKey(ctx, actor.OrgID, keyID); errors.Is(err, pgx.ErrNoRows) {
			return errNoAPIKey
		}
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.ApiKey, error) { return findAPIKey(ctx, q, actor, keyID) }
		answer.ApiKey, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateApiKeyRequest) error {
			wanted, err := readAPIKey(whole, actor)
			if err != nil {
				return err
			}
			err = q.UpdateAPIKey(ctx, authdb.UpdateAPIKeyParams{Name: wanted.name, Role: string(wanted.role), Scopes: wanted.scopes, OrgID: actor.OrgID, ID: keyID})
			if err != nil {
				return err
			}
			return signup.Withdraw(ctx, tx, auth.Actor{Kind: auth.APIKey, OrgID: actor.OrgID, APIKeyID: keyID, Role: wanted.role, Scopes: auth.ScopesOf(wanted.scopes)})
		})
		return err
	})
	if err := edit.Done(err); err != nil {
		return nil, err
	}
	s.callers.forgetKey(hash)
	return answer, nil
}

// findAPIKey reads one that the actor may know of.
func findAPIKey(ctx context.Context, q *authdb.Queries, actor auth.Actor, keyID uuid.UUID) (*nightbellv1.ApiKey, error) {
	rows, err := q.ListAPIKeys(ctx, authdb.ListAPIKeysParams{OrgID: actor.OrgID, ID: &keyID})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoAPIKey
	}
	if keyID == actor.APIKeyID { // which may have got scopes since it was authenticated
		return apiKeyOf(rows[0]), nil
	}
	return apiKeyOf(rows[0]), checkHolds(actor, rows[0].Scopes)
}

func apiKeyOf(row authdb.ListAPIKeysRow) *nightbellv1.ApiKey {
	return &nightbellv1.ApiKey{
		Id: row.ID.String(), Name: row.Name, Prefix: row.Prefix, Role: row.Role, Scopes: row.Scopes, CreatedAt: timestamppb.New(row.CreatedAt),
		ExpiresAt: timestamp(row.ExpiresAt), LastUsedAt: timestamp(row.LastUsedAt), RevokedAt: timestamp(row.RevokedAt),
	}
}

// RevokeApiKey stops a key at once. Revoking a revoked key is not an error.
func (s *APIKeyServer) RevokeApiKey(ctx context.Context, request *nightbellv1.RevokeApiKeyRequest) (*nightbellv1.RevokeApiKeyResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	keyID, ok := id.Parse(request.GetId())
	if !ok {
		return nil, errNoAPIKey
	}
	var hash []byte
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		q := authdb.New(tx)
		if _, err = q.LockAPIKey(ctx, actor.OrgID, keyID); errors.Is(err, pgx.ErrNoRows) {
			return errNoAPIKey
		}
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.ApiKey, error) { return findAPIKey(ctx, q, actor, keyID) }
		if _, err = read(); err != nil {
			return err
		}
		if err := edit.IfMatch[*nightbellv1.UpdateApiKeyRequest](request.GetEtag(), read); err != nil {
			return err
		}
		if hash, err = q.RevokeAPIKey(ctx, now, actor.OrgID, keyID); err != nil {
			return err
		}
		return signup.Withdraw(ctx, tx, auth.Actor{Kind: auth.APIKey, OrgID: actor.OrgID, APIKeyID: keyID}) // it gives no role any more
	})
	if err != nil {
		return nil, err
	}
	s.callers.forgetKey(hash)
	return &nightbellv1.RevokeApiKeyResponse{}, nil
}

func timestamp(at *time.Time) *timestamppb.Timestamp {
	if at == nil {
		return nil
	}
	return timestamppb.New(*at)
}
