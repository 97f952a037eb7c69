package authrpc

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// A guest shares an account that somebody may have made an admin.
func TestAGuestOnlyLooksWhateverTheRoleOfTheAccount(t *testing.T) {
	t.Parallel()
	guest := uuid.New()
	file := nightbellv1.File_nightbell_v1_incident_service_proto.Services().Get(0)
	call := func(method string, actor auth.Actor) (auth.Actor, error) {
		var seen auth.Actor
		c := &rpcserver.Call{Method: file.Methods().ByName(protoreflect.Name(method)), Authz: &nightbellv1.Authz{Role: "viewer"}}
		_, err := OnlyLooks(guest)(auth.WithActor(t.Context(), actor), c, nil, func(ctx context.Context, m proto.Message) (proto.Message, error) {
			seen, _ = auth.ActorFrom(ctx)
			return m, nil
		})
		return seen, err
	}
	admin := auth.Actor{Kind: auth.User, UserID: guest, Role: auth.Admin}
	if seen, err := call("GetIncident", admin); err != nil || seen.Role != auth.Viewer {
		t.Errorf("reading: %v as %s", err, seen.Role)
	}
	if _, err := call("AcknowledgeIncident", admin); !errors.Is(err, errOnlyLooks) {
		t.Errorf("acknowledging: %v", err)
	}
	other := auth.Actor{Kind: auth.User, UserID: uuid.New(), Role: auth.Admin}
	if seen, err := call("AcknowledgeIncident", other); err != nil || seen.Role != auth.Admin {
		t.Errorf("somebody else: %v as %s", err, seen.Role)
	}
	key := auth.Actor{Kind: auth.APIKey, APIKeyID: guest, Role: auth.Admin}
	if _, err := call("AcknowledgeIncident", key); err != nil {
		t.Errorf("a key: %v", err)
	}
}
