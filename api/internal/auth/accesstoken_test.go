package auth

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

var (
	tokenNow   = time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	testSecret = bytes.Repeat([]byte{7}, SecretSize)
	testGrant  = Grant{UserID: id.New(), OrgID: id.New(), SessionID: id.New(), Role: Responder}
)

func newTokens(t *testing.T, secret []byte, previous ...[]byte) *AccessTokens {
	t.Helper()
	tokens, err := NewAccessTokens(secret, previous...)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func issue(t *testing.T, tokens *AccessTokens) string {
	t.Helper()
	token, life, err := tokens.Issue(testGrant, tokenNow, tokenNow.Add(time.Hour))
	if err != nil || life != AccessTokenLife {
		t.Fatalf("issued for %s: %v", life, err)
	}
	return token
}

func TestAccessTokenIsReadBack(t *testing.T) {
	tokens := newTokens(t, testSecret)
	token := issue(t, tokens)
	for _, now := range []time.Time{tokenNow, tokenNow.Add(AccessTokenLife - time.Second)} {
		if grant, err := tokens.Read(token, now); err != nil || grant != testGrant {
			t.Errorf("at %s: %+v, %v", now, grant, err)
		}
	}
	if _, err := tokens.Read(token, tokenNow.Add(AccessTokenLife)); !isExpired(err) {
		t.Errorf("after 15 minutes: %v", err)
	}
}

func TestAccessTokenEndsWithItsSession(t *testing.T) {
	tokens := newTokens(t, testSecret)
	token, life, err := tokens.Issue(testGrant, tokenNow, tokenNow.Add(90*time.Second))
	if err != nil || life != 90*time.Second {
		t.Fatalf("issued for %s: %v", life, err)
	}
	if _, err := tokens.Read(token, tokenNow.Add(90*time.Second)); !isExpired(err) {
		t.Errorf("after the session's end: %v", err)
	}
}

func TestSecretRotation(t *testing.T) {
	other := bytes.Repeat([]byte{9}, SecretSize)
	before, during, after := newTokens(t, testSecret), newTokens(t, other, testSecret), newTokens(t, other)
	old, fresh := issue(t, before), issue(t, during)
	for _, c := range []struct {
		name   string
		tokens *AccessTokens
		token  string
		ok     bool
	}{
		{"old token while both are accepted", during, old, true},
		{"new token while both are accepted", during, fresh, true},
		{"new token afterwards", after, fresh, true},
		{"old token afterwards", after, old, false},
		{"new token by a replica that does not know it yet", before, fresh, false},
	} {
		if _, err := c.tokens.Read(c.token, tokenNow); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, bad := range [][]byte{nil, {1, 2, 3}, bytes.Repeat([]byte{1}, 31), bytes.Repeat([]byte{1}, 64)} {
		if _, err := NewAccessTokens(bad); err == nil {
			t.Errorf("a secret of %d bytes is accepted", len(bad))
		}
	}
}

// TestForgedTokens is the corpus of RFC 8725: everything known to have fooled a
// library or a service.
func TestForgedTokens(t *testing.T) {
	tokens := newTokens(t, testSecret)
	forge := forger{t: t, tokens: tokens, genuine: issue(t, tokens)}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	head, body, signature := forge.parts()
	own := tokens.keys[tokens.current]
	for name, token := range map[string]string{
		"empty":                     "",
		"garbage":                   "x",
		"two parts":                 head + "." + body,
		"empty signature":           head + "." + body + ".",
		"cut signature":             head + "." + body + "." + signature[:len(signature)-4],
		"four parts":                forge.genuine + ".x",
		"padded base64":             forge.genuine + "=",
		"white space":               forge.genuine + " ",
		"other body":                head + "." + forge.segment(map[string]any{"sub": "x"}) + "." + signature,
		"huge":                      forge.genuine + strings.Repeat("x", 1<<20),
		"alg none":                  forge.unsigned("none"),
		"alg None":                  forge.unsigned("None"),
		"alg nOnE":                  forge.unsigned("nOnE"),
		"alg empty":                 forge.unsigned(""),
		"alg missing":               forge.sign(jwt.SigningMethodHS256, own, header{"alg": nil}, nil),
		"HS384 with our key":        forge.sign(jwt.SigningMethodHS384, own, nil, nil),
		"HS512 with our key":        forge.sign(jwt.SigningMethodHS512, own, nil, nil),
		"alg swapped to RS256":      forge.sign(jwt.SigningMethodRS256, rsaKey, nil, nil),
		"alg swapped to PS256":      forge.sign(jwt.SigningMethodPS256, rsaKey, nil, nil),
		"alg swapped to EdDSA":      forge.sign(jwt.SigningMethodEdDSA, edKey, nil, nil),
		"HS256 with the raw secret": forge.sign(jwt.SigningMethodHS256, testSecret, nil, nil),
		"HS256 with an empty key":   forge.sign(jwt.SigningMethodHS256, []byte{}, nil, nil),
		"other key, our key id":     forge.sign(jwt.SigningMethodHS256, bytes.Repeat([]byte{1}, 32), nil, nil),
		"key id missing":            forge.sign(jwt.SigningMethodHS256, own, header{"kid": nil}, nil),
		"key id unknown":            forge.sign(jwt.SigningMethodHS256, own, header{"kid": "../../dev/null"}, nil),
		"key id SQL":                forge.sign(jwt.SigningMethodHS256, own, header{"kid": "x' UNION SELECT 'key"}, nil),
		"key id a number":           forge.sign(jwt.SigningMethodHS256, own, header{"kid": 1}, nil),
		"key id huge":               forge.sign(jwt.SigningMethodHS256, own, header{"kid": strings.Repeat("k", 1000)}, nil),
		"jwk":                       forge.sign(jwt.SigningMethodHS256, own, header{"jwk": map[string]any{"kty": "oct", "k": "AAAA"}}, nil),
		"jku":                       forge.sign(jwt.SigningMethodHS256, own, header{"jku": "https://attacker.example/keys"}, nil),
		"x5u":                       forge.sign(jwt.SigningMethodHS256, own, header{"x5u": "https://attacker.example/cert"}, nil),
		"x5c":                       forge.sign(jwt.SigningMethodHS256, own, header{"x5c": []string{"MIIB"}}, nil),
		"crit":                      forge.sign(jwt.SigningMethodHS256, own, header{"crit": []string{"exp"}}, nil),
		"typ JWT":                   forge.sign(jwt.SigningMethodHS256, own, header{"typ": "JWT"}, nil),
		"typ missing":               forge.sign(jwt.SigningMethodHS256, own, header{"typ": nil}, nil),
		"typ refresh":               forge.sign(jwt.SigningMethodHS256, own, header{"typ": "rt+jwt"}, nil),
		"other audience":            forge.sign(jwt.SigningMethodHS256, own, nil, header{"aud": "another-api"}),
		"no audience":               forge.sign(jwt.SigningMethodHS256, own, nil, header{"aud": nil}),
		"other issuer":              forge.sign(jwt.SigningMethodHS256, own, nil, header{"iss": "https://attacker.example"}),
		"no issuer":                 forge.sign(jwt.SigningMethodHS256, own, nil, header{"iss": nil}),
		"expired":                   forge.sign(jwt.SigningMethodHS256, own, nil, header{"exp": tokenNow.Unix()}),
		"no expiry":                 forge.sign(jwt.SigningMethodHS256, own, nil, header{"exp": nil}),
		"expiry in quotes":          forge.sign(jwt.SigningMethodHS256, own, nil, header{"exp": strconv.FormatInt(tokenNow.Add(time.Minute).Unix(), 10)}),
		"not before, in quotes":     forge.sign(jwt.SigningMethodHS256, own, nil, header{"nbf": "1"}),
		"expiry a string":           forge.sign(jwt.SigningMethodHS256, own, nil, header{"exp": "never"}),
		"not yet good":              forge.sign(jwt.SigningMethodHS256, own, nil, header{"nbf": tokenNow.Add(time.Hour).Unix()}),
		"no subject":                forge.sign(jwt.SigningMethodHS256, own, nil, header{"sub": nil}),
		"no session":                forge.sign(jwt.SigningMethodHS256, own, nil, header{"sid": nil}),
		"no organization":           forge.sign(jwt.SigningMethodHS256, own, nil, header{"org": nil}),
		"unknown role":              forge.sign(jwt.SigningMethodHS256, own, nil, header{"role": "root"}),
	} {
		if grant, err := tokens.Read(token, tokenNow); !isExpired(err) || grant != (Grant{}) {
			t.Errorf("%s: got %+v, %v", name, grant, err)
		}
	}
	// The forger's own way of signing is accepted when nothing was forged: otherwise
	// the refusals above would prove nothing.
	if _, err := tokens.Read(forge.sign(jwt.SigningMethodHS256, own, nil, nil), tokenNow); err != nil {
		t.Errorf("an honest token is refused: %v", err)
	}
}

func TestTokensAreNotInterchangeable(t *testing.T) {
	tokens := newTokens(t, testSecret)
	refresh := NewRefreshToken()
	if _, err := tokens.Read(refresh, tokenNow); !isExpired(err) {
		t.Errorf("a refresh token is read as an access token: %v", err)
	}
	if IsAPIKey(refresh) || IsAPIKey(issue(t, tokens)) {
		t.Error("another token looks like an API key")
	}
}

func FuzzReadAccessToken(f *testing.F) {
	tokens, err := NewAccessTokens(testSecret)
	if err != nil {
		f.Fatal(err)
	}
	genuine, _, err := tokens.Issue(testGrant, tokenNow, tokenNow.Add(time.Hour))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(genuine)
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := tokens.Read(token, tokenNow); err == nil && token != genuine {
			t.Errorf("accepted %q", token)
		}
	})
}

func isExpired(err error) bool {
	refusal, ok := fault.Of(err)
	return ok && refusal.Kind == fault.Unauthenticated && refusal.Message == "Authentication expired. Please log in again."
}

type header = map[string]any

// forger makes tokens that differ from a genuine one in a chosen way; a nil value
// leaves the field out.
type forger struct {
	t       *testing.T
	tokens  *AccessTokens
	genuine string
}

func (f forger) parts() (head, body, signature string) {
	parts := strings.Split(f.genuine, ".")
	return parts[0], parts[1], parts[2]
}

func (f forger) decode(segment string) header {
	f.t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(segment)
	if err != nil {
		f.t.Fatal(err)
	}
	var fields header
	if err := json.Unmarshal(raw, &fields); err != nil {
		f.t.Fatal(err)
	}
	return fields
}

func (f forger) segment(fields header) string {
	raw, err := json.Marshal(fields)
	if err != nil {
		f.t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func (f forger) changed(segment string, changes header) string {
	fields := f.decode(segment)
	maps.Copy(fields, changes)
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil })
	return f.segment(fields)
}

func (f forger) sign(method jwt.SigningMethod, key any, head, body header) string {
	f.t.Helper()
	if head == nil {
		head = header{}
	}
	if _, given := head["alg"]; !given {
		head["alg"] = method.Alg()
	}
	genuineHead, genuineBody, _ := f.parts()
	text := f.changed(genuineHead, head) + "." + f.changed(genuineBody, body)
	signature, err := method.Sign(text, key)
	if err != nil {
		f.t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (f forger) unsigned(algorithm string) string {
	head, body, _ := f.parts()
	return f.changed(head, header{"alg": algorithm}) + "." + body + "."
}
