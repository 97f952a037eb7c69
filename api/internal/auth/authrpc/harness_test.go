package authrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/uuid"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/org/orgrpc"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const password = "velvet-otter-lamp-42"

// world is a server as it runs, over its own database, with a process clock that a
// test can move. (The database's clock is world.db.Clock.)
type world struct {
	t       *testing.T
	db      *pgtest.Database
	handler http.Handler
	auth    *AuthServer
	callers *Authenticator
	log     *lockedBuffer

	mu    sync.Mutex
	shift time.Duration
	slept time.Duration
}

// cheapHashes are for tests that sign people in; those of the hash itself take the recommended cost.
var cheapHashes = auth.HashCost{MemoryKiB: 64, Passes: 1}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newReplica(t, pgtest.New(t), cheapHashes)
}

// newReplica is one more server over a database.
func newReplica(t *testing.T, db *pgtest.Database, cost auth.HashCost) *world {
	t.Helper()
	w := &world{t: t, db: db, log: &lockedBuffer{}}
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	secret := bytes.Repeat([]byte{7}, auth.SecretSize)
	tokens, err := auth.NewAccessTokens(secret)
	must(t, err)
	hasher, err := auth.NewHasher(cost)
	must(t, err)
	w.callers = NewAuthenticator(w.db.DB, tokens)
	w.auth, err = NewAuthServer(AuthConfig{DB: w.db.DB, Secret: secret, Tokens: tokens, Callers: w.callers, Hasher: hasher, Logger: logger})
	must(t, err)
	w.callers.now, w.auth.sessions.now, w.auth.sleep = w.now, w.now, w.sleep
	server := rpcserver.New(logger, rpcserver.Recover(), rpcserver.MapFaults(nil),
		w.callers.Authenticate, Audit(w.db.DB, logger, nil), Authorize, rpcserver.Validate())
	server.Admit = Admit(w.callers, callquota.New("requests", 60_000, w.now), uuid.Nil)
	keys, people := NewAPIKeyServer(w.db.DB, w.callers), orgrpc.NewServer(w.db.DB, false)
	must(t, server.Mount(nightbellv1.File_nightbell_v1_auth_service_proto.Services().Get(0), w.auth,
		func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewAuthServiceHandler(w.auth, o...)
		}))
	must(t, server.Mount(nightbellv1.File_nightbell_v1_api_key_service_proto.Services().Get(0), keys,
		func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewApiKeyServiceHandler(keys, o...)
		}))
	must(t, server.Mount(nightbellv1.File_nightbell_v1_org_service_proto.Services().Get(0), people,
		func(o ...connect.HandlerOption) (string, http.Handler) {
			return nightbellv1connect.NewOrgServiceHandler(people, o...)
		}))
	w.handler = server.Handler()
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.shift)
}

// later moves the process clock, and with it limits, caches and access tokens.
func (w *world) later(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shift += d
}

// sleep moves the database's clock instead of waiting.
func (w *world) sleep(_ context.Context, d time.Duration) error {
	if d > 0 {
		w.db.Clock.Advance(d)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slept += d
	return nil
}

// waited is how long sign-ins had to wait since it was asked last.
func (w *world) waited() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	slept := w.slept
	w.slept = 0
	return slept
}

func (w *world) limit(l Limits) {
	w.t.Helper()
	limits, err := newSignInLimits(l, bytes.Repeat([]byte{7}, auth.SecretSize))
	must(w.t, err)
	w.auth.limits = limits
}

type object = map[string]any

// reply is an answer with what the site and the SDKs read of it.
type reply struct {
	status int
	header http.Header
	text   string
	body   object
}

func (r reply) message() string { return text(r.body["message"]) }

// at digs into the body by field names.
func (r reply) at(path ...string) any {
	var value any = r.body
	for _, name := range path {
		fields, _ := value.(object)
		value = fields[name]
	}
	return value
}

func text(value any) string { s, _ := value.(string); return s }

// caller is somebody at an address, with a bearer token or none.
type caller struct {
	w     *world
	from  string
	token string
}

func (w *world) from(address string) caller { return caller{w: w, from: address} }
func (w *world) anyone() caller             { return w.from("198.51.100.7") }

func (c caller) with(token string) caller { c.token = token; return c }

func (c caller) call(verb, path string, body any) reply {
	c.w.t.Helper()
	var sent []byte
	if body != nil {
		var err error
		sent, err = json.Marshal(body)
		must(c.w.t, err)
	}
	request := httptest.NewRequestWithContext(c.w.t.Context(), verb, path, bytes.NewReader(sent))
	request.RemoteAddr = "[" + c.from + "]:4711"
	if !strings.Contains(c.from, ":") {
		request.RemoteAddr = c.from + ":4711"
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "a test")
	request.Header.Set("X-Request-Id", "test") // so that answers can be compared
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	recorder := httptest.NewRecorder()
	c.w.handler.ServeHTTP(recorder, request)
	answer := reply{status: recorder.Code, header: recorder.Header(), text: recorder.Body.String()}
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer.body); err != nil {
		c.w.t.Errorf("%s %s answered %d with %q, which is not JSON", verb, path, answer.status, answer.text)
	}
	return answer
}

func (c caller) login(email, password, device string) reply {
	c.w.t.Helper()
	return c.call("POST", "/v1/auth/login", object{"email": email, "password": password, "device": device})
}

func (c caller) refresh(token string) reply {
	c.w.t.Helper()
	return c.call("POST", "/v1/auth/refresh", object{"refresh_token": token})
}

// person registers and signs in.
type person struct {
	caller

	email, refreshToken, orgID, userID string
}

func (w *world) join(email string) person {
	w.t.Helper()
	made := w.anyone().call("POST", "/v1/auth/register", object{
		"user_type": "organization", "name": "Dana Whitfield", "email": email, "password": password,
		"org_name": "Rockets " + email, "timezone": "Europe/Paris",
	})
	if made.status != http.StatusCreated {
		w.t.Fatalf("register %s: %d %s", email, made.status, made.text)
	}
	signedIn := w.anyone().login(email, password, "")
	if signedIn.status != http.StatusOK {
		w.t.Fatalf("login %s: %d %s", email, signedIn.status, signedIn.text)
	}
	return person{
		caller: w.anyone().with(text(signedIn.at("tokens", "access_token"))),
		email:  email, refreshToken: text(signedIn.at("tokens", "refresh_token")),
		orgID: text(signedIn.at("user", "org_id")), userID: text(signedIn.at("user", "id")),
	}
}

// expect checks the status and, unless empty, the message.
// expect takes 201 for 200 too.
func expect(t *testing.T, what string, got reply, status int, message string) {
	t.Helper()
	made := got.status == http.StatusCreated && status == http.StatusOK
	if (got.status != status && !made) || (message != "" && got.message() != message) {
		t.Errorf("%s: %d %s, want %d %s", what, got.status, got.text, status, message)
	}
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
