package catalogdb

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// SenderLog keeps what calls about services. It remembers calls in memory and writes at each Flush,
// those of one sender at most once a minute, so that it costs the path of alerts nothing; a process
// that is killed forgets a second. It is safe for concurrent use.
type SenderLog struct {
	db  *postgres.DB
	now func() time.Time

	mu sync.Mutex
	// written is when this process wrote a call last, due are those to be written.
	written map[catalog.SenderCall]time.Time
	due     map[catalog.SenderCall]bool
}

// NewSenderLog makes a log; now tells how old what was written is.
func NewSenderLog(db *postgres.DB, now func() time.Time) *SenderLog {
	return &SenderLog{db: db, now: now, written: map[catalog.SenderCall]time.Time{}, due: map[catalog.SenderCall]bool{}}
}

// Note remembers a call.
func (l *SenderLog) Note(call catalog.SenderCall) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if last, known := l.written[call]; !known || now.Sub(last) >= catalog.SenderPrecision {
		l.due[call] = true
	}
}

// mostSenderCalls is how many calls one statement writes.
const mostSenderCalls = 1000

// In the order of the key, so that replicas wait for each other and never deadlock. A service that
// was deleted from the database meanwhile has no senders.
const noteSenderCallsSQL = `
INSERT INTO sender_call AS c (org_id, service_id, kind, first_at, last_at)
SELECT s.org_id, s.id, called.kind, nightbell_now(), nightbell_now()
FROM unnest($1::uuid[], $2::uuid[], $3::text[]) WITH ORDINALITY AS called (org_id, service_id, kind, place)
JOIN service s ON s.org_id = called.org_id AND s.id = called.service_id
ORDER BY called.place
ON CONFLICT (org_id, service_id, kind) DO UPDATE SET last_at = greatest(c.last_at, excluded.last_at)`

// Flush writes what was noted since the last one; again when there is more. Call it every second.
func (l *SenderLog) Flush(ctx context.Context) (again bool, err error) {
	calls := l.take()
	if len(calls) == 0 {
		return false, nil
	}
	orgs, services, kinds := make([]uuid.UUID, len(calls)), make([]uuid.UUID, len(calls)), make([]string, len(calls))
	for i, call := range calls {
		orgs[i], services[i], kinds[i] = call.OrgID, call.ServiceID, string(call.Kind)
	}
	err = l.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, noteSenderCallsSQL, orgs, services, kinds)
		return err
	})
	if err != nil {
		return false, err
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, call := range calls {
		delete(l.due, call)
		l.written[call] = now
	}
	return len(l.due) > 0, nil
}

// take gives calls to be written, and forgets what was written long enough ago.
func (l *SenderLog) take() []catalog.SenderCall {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for call, at := range l.written {
		if now.Sub(at) >= catalog.SenderPrecision {
			delete(l.written, call)
		}
	}
	calls := make([]catalog.SenderCall, 0, min(len(l.due), mostSenderCalls))
	for call := range l.due {
		if len(calls) == mostSenderCalls {
			break
		}
		calls = append(calls, call)
	}
	slices.SortFunc(calls, func(a, b catalog.SenderCall) int {
		return cmp.Or(bytes.Compare(a.OrgID[:], b.OrgID[:]), bytes.Compare(a.ServiceID[:], b.ServiceID[:]), cmp.Compare(a.Kind, b.Kind))
	})
	return calls
}

const (
	sendersSQL = `
SELECT c.kind, min(c.first_at), max(c.last_at), count(*) FILTER (WHERE c.last_at >= $2)
FROM sender_call c JOIN service s ON s.org_id = c.org_id AND s.id = c.service_id AND s.deleted_at IS NULL
WHERE c.org_id = $1`
	// Of one service it reads a row of each kind, however many services there are.
	sendersOfServiceSQL = sendersSQL + ` AND c.service_id = $3`
	byKindSQL           = ` GROUP BY c.kind ORDER BY c.kind`
)

// Senders gives what called about a service, or about any when serviceID is Nil, by kind.
func Senders(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID, now time.Time) ([]catalog.Sender, error) {
	sql, arguments := sendersSQL, []any{orgID, now.Add(-catalog.ConnectedFor)}
	if serviceID != uuid.Nil {
		sql, arguments = sendersOfServiceSQL, append(arguments, serviceID)
	}
	rows, err := tx.Query(ctx, sql+byKindSQL, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[catalog.Sender])
}
