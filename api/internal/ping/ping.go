// Package ping takes signs of life in, and notices those that do not come.
//
//  1. A ping locks its heartbeat, asks package heartbeat what it changes, and stores that; the first
//     one may create it (take.go).
//  2. Every second Sweep looks for heartbeats whose deadline has passed (sweep.go). An outage of
//     Nightbell is found there too: what was expected meanwhile is given more time (outage.go).
//  3. What opens or resolves an incident is an alert of the heartbeat's service, stored by package
//     intake in the transaction that changes the heartbeat: neither happens without the other, and
//     however many replicas look, each miss opens one incident.
package ping

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/idle"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// source is what incidents of heartbeats say they come from.
const source = "heartbeat"

// Options are what a Keeper needs besides the database.
type Options struct {
	Logger  *slog.Logger
	Signals paging.Signals
	// Judged is told each verdict that opened or resolved an incident.
	Judged func(heartbeat.Verdict)
	// Overdue is told by each sweep how long the most overdue heartbeat has been waiting for it.
	Overdue func(time.Duration)
}

// Keeper keeps heartbeats. Any number of replicas may run one.
type Keeper struct {
	db       *postgres.DB
	options  Options
	arriving *fairshare.Pool[uuid.UUID]
	// resting are the heartbeats that failed, and until when; only Sweep uses it.
	resting map[uuid.UUID]time.Time
	unused  idle.Rest
}

// New makes a keeper. Its loop calls Sweep.
func New(db *postgres.DB, options Options) *Keeper {
	return &Keeper{db: db, options: options, arriving: fairshare.New[uuid.UUID](pingsAtOnce), resting: map[uuid.UUID]time.Time{}}
}

// Wake says that a heartbeat may be expected now: the next sweep is not left out.
func (k *Keeper) Wake() { k.unused.Wake() }

// judged is a heartbeat with what has become of it.
type judged struct {
	heartbeatdb.Row
	verdict heartbeat.Verdict
	words   heartbeat.Words
	// replayed is set for a ping that was taken in before.
	replayed bool
}

// store opens or resolves the incidents of what was judged, all of one service, in a transaction
// that it ends.
func store(ctx context.Context, tx pgx.Tx, route catalog.Route, list []judged, now time.Time) error {
	alerts, lines := make([]alert.Received, len(list)), make(map[string]incident.Event, len(list))
	for i, one := range list {
		alerts[i] = alert.Received{
			Key: source + ":" + one.ID.String(), Status: alert.Firing, Severity: one.Severity, Source: source, Title: one.words.Title,
			Description: one.words.Description, Labels: map[string]string{"heartbeat": one.Name}, StartsAt: one.EpisodeAt, Count: 1,
		}
		kind := "heartbeat_missed"
		if one.verdict == heartbeat.Recovered {
			alerts[i].Status, alerts[i].EndsAt, kind = alert.Resolved, now, "heartbeat_recovered"
		}
		lines[alerts[i].Key] = incident.Event{
			Kind: kind, Actor: incident.Actor{Kind: incident.System}, Message: one.words.Line,
			Data: map[string]any{"heartbeat": map[string]any{"id": one.ID, "name": one.Name}, "reason": one.verdict},
		}
	}
	return intake.Store(ctx, tx, route, alerts, intake.Options{Lines: lines}, now)
}

// tell gives the signals that follow from what was stored.
func (k *Keeper) tell(list []judged) {
	orgs := map[uuid.UUID]bool{}
	for _, one := range list {
		orgs[one.OrgID] = true
		k.options.Judged(one.verdict)
	}
	for orgID := range orgs {
		k.options.Signals.Changed(orgID)
	}
	if len(orgs) > 0 {
		k.options.Signals.Pages()
	}
}
