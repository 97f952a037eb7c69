package authrpc

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

func TestAuditKeepsOneRowPerMutatingCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	key, _ := dana.makeKey("responder", 0)                                                  // row 1
	expect(t, "team", dana.call("POST", "/v1/teams", object{"name": "A"}), 200, "")         // row 2
	expect(t, "the same", dana.call("POST", "/v1/teams", object{"name": "a"}), 409, "")     // row 3
	expect(t, "no name", dana.call("POST", "/v1/teams", object{"name": ""}), 422, "")       // row 4
	refused := w.from("192.0.2.8").with(key).call("POST", "/v1/teams", object{"name": "B"}) // row 5
	expect(t, "by a key that may not", refused, 403, "")
	expect(t, "by Connect", dana.call("POST", "/nightbell.v1.OrgService/CreateTeam", object{"name": "C\x00C"}), 400, "") // row 6
	for _, path := range []string{"/v1/teams", "/v1/users", "/v1/auth/me", "/v1/api-keys"} {
		expect(t, "reading is not kept", dana.call("GET", path, nil), 200, "")
	}
	expect(t, "nobody is not kept", w.anyone().call("POST", "/v1/teams", object{"name": "X"}), 401, "")

	rows := pgtest.One[[]string](t, w.db, `SELECT array_agg(concat_ws(' ', actor_kind, method, outcome, request) ORDER BY at, id) FROM audit_event`)
	for i, want := range []string{
		`user nightbell.v1.ApiKeyService/CreateApiKey ok {"name": "deploy script", "role": "responder", "scopes": ["api_keys:write",`,
		`user nightbell.v1.OrgService/CreateTeam ok {"name": "A"}`,
		`user nightbell.v1.OrgService/CreateTeam team_name_taken {"name": "a"}`,
		`user nightbell.v1.OrgService/CreateTeam invalid_fields {}`,
		`api_key nightbell.v1.OrgService/CreateTeam role_too_low {"name": "B"}`,
		`user nightbell.v1.OrgService/CreateTeam invalid_fields {"name": "C` + "\uFFFD" + `C"}`,
	} {
		if i >= len(rows) || !strings.HasPrefix(rows[i], want) {
			t.Errorf("row %d is not %q", i+1, want)
		}
	}
	if len(rows) != 6 {
		t.Errorf("%d rows, want 6: %q", len(rows), rows)
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM audit_event WHERE address = '192.0.2.8' AND request_id <> '' AND actor_id IS NOT NULL"); n != 1 {
		t.Error("the row does not tell from where, in which request and by whom")
	}
	if n := pgtest.One[int](t, w.db, "SELECT count(*) FROM audit_event WHERE position($1 IN request::text) > 0", key); n != 0 {
		t.Error("a secret is in the audit log")
	}
}

func TestAuditRowsCannotBeChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	dana.makeKey("viewer", 0)
	for _, statement := range []string{"UPDATE audit_event SET outcome = 'ok'", "DELETE FROM audit_event"} {
		err := w.db.InTenant(t.Context(), uuid.MustParse(dana.orgID), func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, statement)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// TestAuditOutlivesTheCaller: a caller that hangs up still leaves a row, and a database
// that is away leaves it in the log.
func TestAuditOutlivesTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	step := Audit(w.db.DB, w.auth.sessions.logger, nil)
	call := &rpcserver.Call{Procedure: "/nightbell.v1.OrgService/CreateTeam", Authz: &nightbellv1.Authz{Role: "admin", Mutates: true}}
	actor := auth.Actor{Kind: auth.User, UserID: uuid.MustParse(dana.userID), OrgID: uuid.MustParse(dana.orgID), Role: auth.Owner}
	run := func(hangUp func(), outcome error) {
		ctx, cancel := context.WithCancel(auth.WithActor(t.Context(), actor))
		defer cancel()
		_, err := step(ctx, call, &nightbellv1.CreateTeamRequest{Name: "A"}, func(context.Context, proto.Message) (proto.Message, error) {
			cancel()
			hangUp()
			return &nightbellv1.CreateTeamResponse{}, outcome
		})
		if !errors.Is(err, outcome) {
			t.Errorf("the outcome became %v", err)
		}
	}
	run(func() {}, errors.New("a bug"))
	if got := pgtest.One[string](t, w.db, "SELECT outcome FROM audit_event"); got != "internal" {
		t.Errorf("the outcome is %q", got)
	}
	run(w.db.Close, nil)
	if log := w.log.String(); !strings.Contains(log, "an audit row could not be stored") || !strings.Contains(log, dana.userID) || !strings.Contains(log, "OrgService/CreateTeam") {
		t.Errorf("the row is lost: %s", log)
	}
}

// TestRefusedAnswersFillNoDisk: a program that answers what does not exist, for ever, leaves so many rows a minute.
// Its answers that do something, and those of others, leave theirs.
func TestRefusedAnswersFillNoDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	step := Audit(w.db.DB, w.auth.sessions.logger, nil)
	methods := nightbellv1.File_nightbell_v1_incident_service_proto.Services().ByName("IncidentService").Methods()
	call := &rpcserver.Call{
		Procedure: "/nightbell.v1.IncidentService/AcknowledgeIncident", Method: methods.ByName("AcknowledgeIncident"),
		Authz: &nightbellv1.Authz{Role: "responder", Scope: string(auth.IncidentsWrite), Mutates: true},
	}
	answer := func(key uuid.UUID, outcome error) {
		ctx := auth.WithActor(t.Context(), auth.Actor{Kind: auth.APIKey, APIKeyID: key, OrgID: uuid.MustParse(dana.orgID), Role: auth.Responder, Scopes: []auth.Scope{auth.IncidentsWrite}})
		_, err := step(ctx, call, &nightbellv1.AcknowledgeIncidentRequest{}, func(context.Context, proto.Message) (proto.Message, error) {
			return &nightbellv1.AcknowledgeIncidentResponse{}, outcome
		})
		if !errors.Is(err, outcome) {
			t.Errorf("the outcome became %v", err)
		}
	}
	looping, other := uuid.New(), uuid.New()
	gone := fault.New(fault.NotFound, "incident_not_found", "No such incident.")
	for range auditRefusedAnswers + 5 {
		answer(looping, gone)
	}
	answer(looping, nil)
	answer(other, gone)
	for what, want := range map[string]int{"'incident_not_found'": auditRefusedAnswers + 1, "'ok'": 1} {
		if got := pgtest.One[int](t, w.db, "SELECT count(*) FROM audit_event WHERE method LIKE '%Acknowledge%' AND outcome = "+what); got != want {
			t.Errorf("%d rows of %s, want %d", got, what, want)
		}
	}
}

func TestAuditedRequest(t *testing.T) {
	for name, c := range map[string]struct {
		message proto.Message
		want    string
	}{
		"secrets":       {&nightbellv1.LoginRequest{Email: "a@b.example", Password: "p", Device: "d"}, `{"email":"a@b.example","password":"[redacted]","device":"[redacted]"}`},
		"nested":        {&nightbellv1.LoginResponse{Tokens: &nightbellv1.Tokens{AccessToken: "s", ExpiresInSeconds: 900}}, `{"tokens":{"access_token":"[redacted]","expires_in_seconds":900}}`},
		"no secret set": {&nightbellv1.LoginRequest{Email: "a@b.example"}, `{"email":"a@b.example"}`},
		"NUL in a list": {&nightbellv1.CreateTeamRequest{UserIds: []string{"a\x00b", "c"}}, `{"user_ids":["a` + "\uFFFD" + `b","c"]}`},
		"empty":         {&nightbellv1.ListTeamsRequest{}, `{}`},
	} {
		before := proto.Clone(c.message)
		var compact, want any
		if err := json.Unmarshal(auditedRequest(c.message), &compact); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(compact, want) {
			t.Errorf("%s: %v, want %v", name, compact, want)
		}
		if !proto.Equal(before, c.message) {
			t.Errorf("%s: the request itself was changed", name)
		}
	}
	for _, filler := range []string{"x", `"`, "<", "\n", "\u2028", "é"} {
		whole := auditedRequest(&nightbellv1.CreateTeamRequest{Description: strings.Repeat(filler, 20_000)})
		for _, most := range []int{auditRequestSize, auditRefusedSize} {
			large := cutTo(most, whole)
			var cut struct {
				Cut   bool
				Bytes int
			}
			if err := json.Unmarshal(large, &cut); err != nil || !cut.Cut || cut.Bytes < 20_000 || len(large) > most {
				t.Errorf("a large request of %q became %d bytes: %v", filler, len(large), err)
			}
		}
	}
}

// TestEverySecretIsMarked finds fields whose name says that they are secret.
func TestEverySecretIsMarked(t *testing.T) {
	for _, file := range []proto.Message{
		&nightbellv1.RegisterRequest{}, &nightbellv1.LoginRequest{}, &nightbellv1.RefreshRequest{}, &nightbellv1.LogoutRequest{},
		&nightbellv1.Tokens{}, &nightbellv1.CreateApiKeyResponse{},
	} {
		fields := file.ProtoReflect().Descriptor().Fields()
		for i := range fields.Len() {
			name := string(fields.Get(i).Name())
			secret := name == "password" || name == "key" || name == "device" || strings.HasSuffix(name, "_token")
			if secret != isSecret(fields.Get(i)) {
				t.Errorf("%s: marked as secret is %v", fields.Get(i).FullName(), !secret)
			}
		}
	}
}

func TestAuthorizeFailsClosed(t *testing.T) {
	ctx := auth.WithActor(t.Context(), auth.Actor{Kind: auth.User, Role: auth.Owner})
	reached := false
	next := func(context.Context, proto.Message) (proto.Message, error) {
		reached = true
		return &nightbellv1.ListTeamsResponse{}, nil
	}
	for name, option := range map[string]*nightbellv1.Authz{"no option": nil, "an empty one": {}, "an unknown role": {Role: "god"}} {
		if _, err := Authorize(ctx, &rpcserver.Call{Authz: option}, nil, next); err == nil || reached {
			t.Errorf("%s: the owner may call", name)
		}
	}
	if _, err := Authorize(ctx, &rpcserver.Call{Authz: &nightbellv1.Authz{Role: "owner"}}, nil, next); err != nil || !reached {
		t.Errorf("the positive control fails: %v", err)
	}
}

// TestAccountsAreOutOfATenantsReach: whatever a handler does in its own organization's
// transaction, it can neither read a password hash nor touch a session.
func TestAccountsAreOutOfATenantsReach(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dana := w.join("dana@rockets.example")
	w.join("eve@other.example")
	for _, statement := range []string{
		"SELECT password_hash FROM users", "SELECT * FROM session", "SELECT * FROM refresh_token", "SELECT * FROM known_device",
		"UPDATE users SET email = 'x'", "DELETE FROM users", "INSERT INTO session DEFAULT VALUES", "INSERT INTO org (id, kind, name, created_at) VALUES (gen_random_uuid(), 'individual', 'x', now())",
	} {
		err := w.db.InTenant(t.Context(), uuid.MustParse(dana.orgID), func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, statement)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	var people int
	err := w.db.InTenant(t.Context(), uuid.MustParse(dana.orgID), func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT count(name) FROM users").Scan(&people)
	})
	if err != nil || people != 1 {
		t.Errorf("a tenant sees %d people: %v", people, err)
	}
}
