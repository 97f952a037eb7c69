package authrpc

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// TestARequestGivesNoOthersIdempotencyKeyBack: one that was taken for abandoned may end after all. The key is its
// repeat's by then, and a third would run beside that.
func TestARequestGivesNoOthersIdempotencyKeyBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join("dana@rockets.example")
	box, err := secret.NewBox(bytes.Repeat([]byte{1}, 32))
	must(t, err)
	method := nightbellv1.File_nightbell_v1_org_service_proto.Services().Get(0).Methods().ByName("CreateTeam")
	authz, _ := proto.GetExtension(method.Options(), nightbellv1.E_Authz).(*nightbellv1.Authz)
	ctx := auth.WithActor(t.Context(), auth.Actor{Kind: auth.User, OrgID: pgtest.One[uuid.UUID](t, w.db, "SELECT id FROM org"), UserID: uuid.New()})
	run := Idempotency(w.db.DB, box, slog.New(slog.DiscardHandler))
	for _, failure := range []error{nil, fault.New(fault.Conflict, "x", "No."), fault.New(fault.Unavailable, "x", "Try again.")} {
		for repeatedAfter, want := range map[string]int{"0 seconds": 0, "70 seconds": 1} {
			call := &rpcserver.Call{Procedure: "/nightbell.v1.OrgService/CreateTeam", Method: method, Authz: authz, Header: http.Header{"Idempotency-Key": {uuid.NewString()}}}
			_, _ = run(ctx, call, &nightbellv1.CreateTeamRequest{}, func(context.Context, proto.Message) (proto.Message, error) {
				w.db.Exec(t, "UPDATE idempotency_key SET created_at = created_at + $1::interval", repeatedAfter) // as a repeat claims it
				return &nightbellv1.CreateTeamResponse{}, failure
			})
			if left := pgtest.One[int](t, w.db, "SELECT count(*) FROM idempotency_key WHERE NOT carried_out"); left != want {
				t.Errorf("after %v, repeated after %s: %d are claimed, want %d", failure, repeatedAfter, left, want)
			}
			w.db.Exec(t, "DELETE FROM idempotency_key")
		}
	}
}
