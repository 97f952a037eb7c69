package intake

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// What a service may cost that is sent messages nobody can read.
const (
	keptBytes        = 64 << 10               // kept of one message
	shownCharacters  = 1_000                  // of a message, in its incident
	keptTogether     = 4                      // messages kept by one transaction
	keptAnHour       = 20                     // messages kept in an hour; the others are counted
	countedTogether  = 256                    // requests that may wait to be counted
	undecodablePause = 200 * time.Millisecond // between the transactions for all services
)

// AcceptUndecodable keeps what a known sender sent but nobody can read, and opens one incident for each service and
// hour: a sender such as Alertmanager never repeats what was answered with 4xx. nil means committed. What comes faster
// than it is worth keeping shares a transaction, and is only counted.
func (in *Intake) AcceptUndecodable(ctx context.Context, route catalog.Route, sender, reason string, body []byte) error {
	counted := make(chan error, 1)
	if !in.undecodable.add(route, sender, reason, body, func(err error) { counted <- err }) {
		return errOverloaded
	}
	patience := time.NewTimer(answerWithin)
	defer patience.Stop()
	select {
	case err := <-counted:
		return err
	case <-patience.C:
		return errDatabaseAway.Because(context.DeadlineExceeded)
	case <-ctx.Done():
		return errOverloaded.Because(ctx.Err())
	}
}

// undecodables are the messages that wait to be kept or counted. It is safe for
// concurrent use.
type undecodables struct {
	mu    sync.Mutex
	wait  map[uuid.UUID]*undecodable // by service
	added chan struct{}
}

// undecodable is what one service was sent since the last transaction for it.
type undecodable struct {
	route          catalog.Route
	sender, reason string // of the first
	bodies         [][]byte
	counted        []func(error)
}

// description shows how the first message begins: whoever is woken has nothing else to go by.
func (u *undecodable) description() string {
	text := fmt.Sprintf("%s was sent an alert that could not be read: %s Look at the sender.", u.route.ServiceName, u.reason)
	if said := plaintext.Text(string(u.bodies[0])); !plaintext.Blank(said) {
		text += " It begins:\n\n" + plaintext.Cut(said, shownCharacters)
	}
	return text
}

func newUndecodables() undecodables {
	return undecodables{wait: map[uuid.UUID]*undecodable{}, added: make(chan struct{}, 1)}
}

// add puts a message with those that wait for its service; counted is called when it is
// committed, or cannot be. It is refused when too many wait.
func (u *undecodables) add(route catalog.Route, sender, reason string, body []byte, counted func(error)) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	own := u.wait[route.ServiceID]
	if own == nil {
		own = &undecodable{route: route, sender: sender, reason: reason}
		u.wait[route.ServiceID] = own
	}
	if len(own.counted) == countedTogether {
		return false
	}
	own.counted = append(own.counted, counted)
	if len(own.bodies) < keptTogether {
		own.bodies = append(own.bodies, append([]byte{}, body[:min(len(body), keptBytes)]...))
	}
	select {
	case u.added <- struct{}{}:
	default: // the loop knows already
	}
	return true
}

func (u *undecodables) take() map[uuid.UUID]*undecodable {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.wait
	u.wait = map[uuid.UUID]*undecodable{}
	return taken
}

// keepUndecodable stores what waits, service by service, until ctx ends. One loop for the
// installation leaves the pool to alerts that can be read.
func (in *Intake) keepUndecodable(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-in.undecodable.added:
		}
		for _, own := range in.undecodable.take() {
			err := in.storeUndecodable(context.WithoutCancel(ctx), own)
			for _, counted := range own.counted {
				counted(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(undecodablePause):
		}
	}
}

func (in *Intake) storeUndecodable(ctx context.Context, own *undecodable) error {
	var round *paging.Round
	err := in.db.InSystem(ctx, postgres.Ingest, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		round = paging.NewRound(tx, now)
		batch := &pgx.Batch{}
		if err := openUndecodable(ctx, tx, batch, round, now, own); err != nil {
			return err
		}
		if err := keepBodies(ctx, tx, batch, now, own); err != nil {
			return err
		}
		round.Queue(batch)
		return postgres.Finish(ctx, tx, batch)
	}, postgres.LockTimeout(lockWait))
	if err != nil {
		in.logger.ErrorContext(ctx, "messages that cannot be read could not be kept", "service", own.route.ServiceID, "messages", len(own.counted), "error", err)
		return errDatabaseAway.Because(err)
	}
	in.signal(round)
	return nil
}

// keepBodies keeps as many messages as the hour has room for, and counts the others with
// the newest one.
func keepBodies(ctx context.Context, tx pgx.Tx, batch *pgx.Batch, now time.Time, own *undecodable) error {
	orgID, serviceID, hour := own.route.OrgID, own.route.ServiceID, now.Truncate(time.Hour)
	var kept int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM undecodable_alert WHERE org_id = $1 AND service_id = $2 AND received_at >= $3`,
		orgID, serviceID, hour).Scan(&kept)
	if err != nil {
		return err
	}
	bodies := own.bodies[:min(len(own.bodies), max(0, keptAnHour-kept))]
	for _, body := range bodies {
		batch.Queue(`INSERT INTO undecodable_alert (org_id, id, service_id, sender, reason, body, received_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			orgID, id.New(), serviceID, own.sender, own.reason, body, now)
	}
	if rest := len(own.counted) - len(bodies); rest > 0 {
		batch.Queue(`UPDATE undecodable_alert SET not_kept = not_kept + $4 WHERE org_id = $1 AND id = (
			SELECT id FROM undecodable_alert WHERE org_id = $1 AND service_id = $2 AND received_at >= $3 ORDER BY received_at DESC, id DESC LIMIT 1)`,
			orgID, serviceID, hour, rest)
	}
	return nil
}

// openUndecodable opens the incident of this hour, or adds to its count of messages.
func openUndecodable(ctx context.Context, tx pgx.Tx, batch *pgx.Batch, round *paging.Round, now time.Time, own *undecodable) error {
	route := own.route
	opened, err := incidentdb.Open(ctx, tx, []incidentdb.Opening{{
		OrgID: route.OrgID, ServiceID: route.ServiceID, PolicyID: route.PolicyID,
		Key:         "undecodable:" + now.Format("2006-01-02T15"),
		Title:       "Undecodable alert from " + own.sender,
		Description: own.description(),
		Severity:    alert.High, Source: own.sender, AlertCount: len(own.counted),
	}}, now)
	if err != nil {
		return err
	}
	for _, o := range opened {
		if !o.Fresh {
			if alert.High.Rank() < o.Severity.Rank() {
				err = round.Command(ctx, batch, o.Record, incident.ChangeSeverity{To: alert.High, Because: "by an alert that could not be read"})
			}
			if err != nil {
				return err
			}
			continue
		}
		round.Note(o.Record, incident.Event{Kind: "declared", Message: "Declared because an alert could not be read: " + own.reason})
		if err := round.Start(ctx, o.Record); err != nil {
			return err
		}
	}
	return nil
}
