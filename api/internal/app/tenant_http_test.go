package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// get asks for a page or list with a bearer token or none.
func (r *rig) get(path, bearer string, header ...string) answer {
	return r.plainly(http.MethodGet, path, bearer, nil, header...)
}

// plainly makes any other request, with headers in pairs.
func (r *rig) plainly(verb, path, bearer string, body []byte, header ...string) answer {
	return r.within(r.t.Context(), verb, path, bearer, body, header...)
}

func (r *rig) within(ctx context.Context, verb, path, bearer string, body []byte, header ...string) answer {
	request := newRequest(ctx, verb, path, body)
	request.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	r.handler.ServeHTTP(recorder, request)
	return answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
}

// linkClaims are those of the acknowledge link in the mail about the incident.
func (n *tenant) linkClaims() notify.AckClaims {
	n.t.Helper()
	owner := uuid.MustParse(n.people["owner"])
	delivery := pgtest.One[uuid.UUID](n.t, n.database, `
		SELECT n.delivery_ids[1] FROM notification n WHERE n.org_id = $1 AND n.incident_id = $2 AND n.user_id = $3`, n.orgID, n.objects["incident"], owner)
	return notify.AckClaims{OrgID: n.orgID, UserID: owner, DeliveryID: delivery, Expires: time.Now().Add(time.Hour)}
}

// calendar is the address of the organization's first calendar, without the server.
func (n *tenant) calendar() string {
	n.t.Helper()
	shown := n.call(n.owner(), http.MethodGet, "/v1/calendar-feeds/"+n.objects["calendar_feed"]+"/key", nil)
	return strings.TrimPrefix(at[string](n.t, shown, "url"), n.PublicURL)
}
