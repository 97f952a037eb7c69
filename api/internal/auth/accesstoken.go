package auth

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// AccessTokenLife is how long an access token is good for at most.
const AccessTokenLife = 15 * time.Minute

// What every access token says of itself (RFC 9068), so that no other token of
// ours, or anybody's, is taken for one.
const (
	tokenType     = "at+jwt"
	tokenIssuer   = "nightbell"
	tokenAudience = "nightbell-api"
	// longestToken is far more than we issue; longer ones are not even parsed.
	longestToken = 2048
)

// Grant is what an access token says: this person, in this organization and role,
// from this sign-in.
type Grant struct {
	UserID    uuid.UUID
	OrgID     uuid.UUID
	SessionID uuid.UUID
	Role      Role
}

// AccessTokens issues and reads access tokens: JWTs with HS256 and nothing else. It
// is safe for concurrent use.
type AccessTokens struct {
	current string            // the key id that new tokens carry
	keys    map[string][]byte // by key id; all of these are accepted
}

// NewAccessTokens signs with the secret, and still accepts what was signed with the
// previous ones (to change the secret without signing everybody out). Each is 32
// bytes; otherwise it fails with ErrShortSecret.
func NewAccessTokens(secret []byte, previous ...[]byte) (*AccessTokens, error) {
	tokens := &AccessTokens{keys: map[string][]byte{}}
	for i, one := range append([][]byte{secret}, previous...) {
		key, err := deriveKey(one, "access token")
		if err != nil {
			return nil, err
		}
		keyID := hex.EncodeToString(HashToken(string(key))[:8])
		tokens.keys[keyID] = key
		if i == 0 {
			tokens.current = keyID
		}
	}
	return tokens, nil
}

type accessClaims struct {
	jwt.RegisteredClaims

	OrgID     string `json:"org"`
	SessionID string `json:"sid"`
	Role      Role   `json:"role"`
}

// Issue signs a token that is good until expires, and for AccessTokenLife at most.
// It returns the token and how long it is good for.
func (t *AccessTokens) Issue(grant Grant, now, expires time.Time) (token string, life time.Duration, err error) {
	life = min(AccessTokenLife, expires.Sub(now)).Truncate(time.Second)
	unsigned := jwt.NewWithClaims(jwt.SigningMethodHS256, accessClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    tokenIssuer,
			Audience:  jwt.ClaimStrings{tokenAudience},
			Subject:   grant.UserID.String(),
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(life)),
		},
		OrgID: grant.OrgID.String(), SessionID: grant.SessionID.String(), Role: grant.Role,
	})
	unsigned.Header["typ"] = tokenType
	unsigned.Header["kid"] = t.current
	token, err = unsigned.SignedString(t.keys[t.current])
	return token, life, err
}

// Read returns what a token grants. Whatever is wrong with it (signature, type,
// audience, age), the error is ErrTokenExpired with the reason as its cause.
func (t *AccessTokens) Read(token string, now time.Time) (Grant, error) {
	if len(token) > longestToken {
		return Grant{}, ErrTokenExpired.Because(errors.New("the token is too long"))
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithIssuer(tokenIssuer), jwt.WithAudience(tokenAudience),
		jwt.WithExpirationRequired(), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(func() time.Time { return now }),
	)
	var claims accessClaims
	if _, err := parser.ParseWithClaims(token, &claims, t.keyOf); err != nil {
		return Grant{}, ErrTokenExpired.Because(err)
	}
	grant, err := claims.grant()
	if err == nil {
		err = numericTimes(token)
	}
	if err != nil {
		return Grant{}, ErrTokenExpired.Because(err)
	}
	return grant, nil
}

// numericTimes refuses times in quotes, which RFC 7519 does not know and the library reads.
func numericTimes(token string) error {
	var times struct {
		Exp, Iat, Nbf json.RawMessage
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		return err
	}
	if err := json.Unmarshal(payload, &times); err != nil {
		return err
	}
	for _, at := range []json.RawMessage{times.Exp, times.Iat, times.Nbf} {
		if len(at) > 0 && at[0] == '"' {
			return errors.New("a time of the token is no number")
		}
	}
	return nil
}

// keyOf picks the key by the token's key id from our own set. Headers that bring a
// key along (jwk, jku, x5u, ...) are never looked at; a token that has one is not ours.
func (t *AccessTokens) keyOf(token *jwt.Token) (any, error) {
	for name := range token.Header {
		switch name {
		case "alg", "typ", "kid":
		default:
			return nil, errors.New("the token has a header that we never set")
		}
	}
	if token.Header["typ"] != tokenType {
		return nil, errors.New("the token is not an access token")
	}
	keyID, _ := token.Header["kid"].(string)
	key, ok := t.keys[keyID]
	if !ok {
		return nil, errors.New("the token was signed with a key that is not ours")
	}
	return key, nil
}

func (c accessClaims) grant() (Grant, error) {
	var grant Grant
	for _, part := range []struct {
		text string
		into *uuid.UUID
	}{{c.Subject, &grant.UserID}, {c.OrgID, &grant.OrgID}, {c.SessionID, &grant.SessionID}} {
		key, err := uuid.Parse(part.text)
		if err != nil {
			return Grant{}, errors.New("the token names nobody")
		}
		*part.into = key
	}
	if !c.Role.Known() {
		return Grant{}, errors.New("the token has no role")
	}
	grant.Role = c.Role
	return grant, nil
}
