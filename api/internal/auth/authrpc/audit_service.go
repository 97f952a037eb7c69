package authrpc

import (
	"cmp"
	"context"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// areas are the methods that each area is about. Keys stand before the rest of their services.
var areas = map[string]string{
	"people":    `\.(OrgService|InvitationService|AccountService)/|\.AuthService/AcceptInvitation$`,
	"config":    `\.(CatalogService|ContactService|EscalationService|HeartbeatService|MaintenanceService|OnCallService|SlackService|WebhookSubscriptionService|InstallationService)/`,
	"keys":      `\.(ApiKeyService|AuthService)/|Key$|Secret$`,
	"incidents": `\.(IncidentService|AiService)/`,
}

var ofIncidents = regexp.MustCompile(areas["incidents"])

// AuditServer implements nightbell.v1.AuditService.
type AuditServer struct{ db *postgres.DB }

// NewAuditServer reads from this database.
func NewAuditServer(db *postgres.DB) *AuditServer { return &AuditServer{db} }

// ListAuditEvents lists what changed in the caller's organization, the newest first.
func (s *AuditServer) ListAuditEvents(ctx context.Context, request *nightbellv1.ListAuditEventsRequest) (*nightbellv1.ListAuditEventsResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	limit := cmp.Or(int(request.GetLimit()), page.Longest)
	asked := authdb.ListAuditEventsParams{OrgID: actor.OrgID, Pattern: postgres.Null(areas[request.GetArea()]), Most: int32(limit) + 1}
	if cursor := request.GetCursor(); cursor != "" {
		_, key, err := page.Decode(actor.OrgID, cursor)
		if err != nil {
			return nil, err
		}
		before := uuid.UUID(key)
		asked.BeforeID = &before
	}
	if request.GetActorId() != "" {
		who, _ := id.Parse(request.GetActorId()) // one that nobody has did nothing
		asked.ActorID = &who
	}
	if request.GetSince() != nil {
		asked.Since = new(request.GetSince().AsTime())
	}
	if request.GetUntil() != nil {
		asked.Until = new(request.GetUntil().AsTime())
	}
	answer := &nightbellv1.ListAuditEventsResponse{}
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := authdb.New(tx).ListAuditEvents(ctx, asked)
		rows, answer.NextCursor = page.Next(rows, limit, func(last authdb.ListAuditEventsRow) string {
			return page.Encode(actor.OrgID, last.At, last.ID)
		})
		for _, row := range rows {
			event := auditEventOf(row)
			if ofIncidents.MatchString(row.Method) && actor.Holds(auth.IncidentsRead) != nil {
				event.Request = `{"left_out":"Reading it takes the scope incidents:read."}` // it has titles and comments
			}
			answer.AuditEvents = append(answer.AuditEvents, event)
		}
		return err
	}, postgres.ReadOnly())
	return answer, err
}

func auditEventOf(row authdb.ListAuditEventsRow) *nightbellv1.AuditEvent {
	return &nightbellv1.AuditEvent{
		Id: row.ID.String(), At: timestamppb.New(row.At), ActorKind: row.ActorKind, ActorId: id.Text(row.ActorID), ActorName: postgres.Null(row.ActorName),
		Method: strings.TrimPrefix(row.Method, "nightbell.v1."), Outcome: row.Outcome, Address: postgres.Null(row.Address),
		Request: string(row.Request), RequestId: row.RequestID,
	}
}
