package demo_test

import (
	"context"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/demo"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/respond"
	"github.com/nightbell/nightbell/api/internal/signup"
)

func TestResetTouchesOnlyItsOwnOrganization(t *testing.T) {
	t.Parallel()
	db, w, account := seeded(t)
	other := neighbour(t, db)
	// Jonas works for both.
	db.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at)
		SELECT $1, id, 'viewer', nightbell_now() FROM users WHERE email LIKE 'jonas@%'`, other.OrgID)
	before := contents(t, db, other.OrgID)
	if _, err := w.Reset(t.Context(), password); err != nil {
		t.Fatal(err)
	}
	after := contents(t, db, other.OrgID)
	if !maps.Equal(before, after) {
		t.Errorf("the neighbour changed.\nbefore: %v\nafter: %v", before, after)
	}
	if got := figure(t, db, account, `SELECT count(*) || ' ' || (SELECT count(*) FROM users) FROM incident WHERE org_id = $1`); got != "25 9" {
		t.Errorf("incidents and accounts after the reset: %s", got)
	}
}

// After a reset the workspace is as if seeded at that moment. If a new table has an
// organization's rows, this test says so until clutter and departure's contents know it.
func TestResetLeavesNothingOfWhatPeopleDid(t *testing.T) {
	t.Parallel()
	db, w, first := seeded(t)
	fresh := contents(t, db, first.OrgID)
	clutter(t, db, first)
	for name, text := range contents(t, db, first.OrgID) {
		if text == "" {
			t.Errorf("table %s is empty: this test does not show that a reset empties it", name)
		}
	}
	second, err := w.Reset(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	if second.ServiceKey == first.ServiceKey || second.OrgID != first.OrgID {
		t.Error("a reset makes new keys for the same organization")
	}
	for name, text := range contents(t, db, first.OrgID) {
		switch {
		case name == "audit_event" && text == "":
			t.Error("the audit log was emptied")
		case name != "audit_event" && text != fresh[name]:
			t.Errorf("%s is not as when it was fresh.\nfresh:\n%s\nnow:\n%s", name, fresh[name], text)
		}
	}
	if got := figure(t, db, first, `SELECT count(*) FROM users`); got != "8" {
		t.Errorf("%s accounts are left", got)
	}
}

// Whatever time passes, only what is new pages, and its number follows on.
func TestOnlyWhatIsNewPages(t *testing.T) {
	t.Parallel()
	db, _, account := seeded(t)
	history := figure(t, db, account, `SELECT count(*) FROM notification WHERE org_id = $1`)
	db.Clock.Advance(30 * 24 * time.Hour)
	escalator := paging.NewEscalator(db.DB, postgres.Sweep, quiet(), signals())
	for again := true; again; {
		var err error
		if again, err = escalator.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := figure(t, db, account, `SELECT count(*) FROM notification WHERE org_id = $1`); got != history {
		t.Errorf("a sweep made %s notifications of %s", got, history)
	}
	fire(t, db, account)
	pages := figure(t, db, account, `SELECT string_agg(u.email || ' ' || n.state || ' #' || i.number, ', ') FROM notification n
		JOIN users u ON u.id = n.user_id JOIN incident i ON i.id = n.incident_id WHERE n.org_id = $1 AND n.state <> 'sent'`)
	if pages != account.Email+" pending #26" {
		t.Errorf("the first alert pages %s", pages)
	}
}

// neighbour registers another organization with an incident of its own.
func neighbour(t *testing.T, db *pgtest.Database) signup.Registered {
	t.Helper()
	var made signup.Registered
	err := db.InSystem(t.Context(), postgres.Identity, func(ctx context.Context, tx pgx.Tx) (err error) {
		made, err = signup.Register(ctx, tx, signup.Registration{
			Kind: org.Organization, Name: "Ada", Email: "ada@example.com",
			OrgName: "Millpond", Timezone: "UTC",
		}, "x", db.Clock.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = respond.NewResponder(db.DB, signals()).DeclareIncident(t.Context(), respond.Declaration{
		OrgID: made.OrgID, Title: "Ours",
		Severity: alert.High, By: incident.Actor{Kind: incident.User, ID: made.UserID, Name: "Ada"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// fire sends one alert by the account's service key, as the printed command does.
func fire(t *testing.T, db *pgtest.Database, account demo.Account) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	intake := intake.NewIntake(db.DB, quiet(), signals())
	ended := make(chan struct{})
	go func() { intake.Run(ctx); close(ended) }()
	defer func() { stop(); <-ended }()
	err := db.InSystem(ctx, postgres.Ingest, func(ctx context.Context, tx pgx.Tx) error {
		found, err := catalogdb.New(tx).FindRoute(ctx, catalog.HashKey(account.ServiceKey))
		if err != nil {
			return err
		}
		return intake.Accept(ctx, catalog.Route{
			OrgID: found.OrgID, ServiceID: found.ServiceID, ServiceName: found.Name,
			PolicyID: *found.PolicyID, Grouping: catalog.Grouping(found.Grouping),
		}, alert.Batch{Alerts: []alert.Received{{
			Key: "HighLatency", Status: alert.Firing, Severity: alert.Critical, Source: "prometheus", Title: "Checkout is slow", Count: 1,
		}}})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// clutter leaves something in every table that seeding leaves empty.
func clutter(t *testing.T, db *pgtest.Database, account demo.Account) {
	t.Helper()
	fire(t, db, account)
	guest, mara := id.New(), pgtest.One[uuid.UUID](t, db, `SELECT id FROM users WHERE email = $1`, account.Email)
	db.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, 'Guest', 'guest@example.com', 'x', nightbell_now())`, guest)
	db.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'viewer', nightbell_now())`, account.OrgID, guest)
	for _, sql := range []string{
		`INSERT INTO session (id, user_id, org_id, created_at, last_used_at) VALUES ($2, $3, $1, nightbell_now(), nightbell_now())`,
		`INSERT INTO known_device (user_id, device_hash, seen_at) SELECT $3, '\x01', nightbell_now() WHERE $1::uuid <> $2::uuid`,
		`INSERT INTO api_key (org_id, id, name, prefix, hash, role, scopes, created_by, created_at) VALUES ($1, $2, 'k', 'p', '\x02', 'admin', '{config:read}', $3, nightbell_now())`,
		`INSERT INTO inbox_mail (org_id, id, sender, recipient, subject, text_sealed, html_sealed, received_at) SELECT $1, $2, 's', 'r', 's', 't', 'h', nightbell_now() WHERE $3::uuid IS NOT NULL`,
		`INSERT INTO test_page (org_id, id, contact_method_id, user_id, channel, status, created_at)
			SELECT $1, $2, id, $3::uuid, 'email', 'queued', nightbell_now() FROM contact_method WHERE org_id = $1 LIMIT 1`,
		`INSERT INTO audit_event (org_id, id, at, actor_kind, actor_id, method) VALUES ($1, $2, nightbell_now(), 'user', $3, 'Acknowledge')`,
		`INSERT INTO webhook_subscription (org_id, id, name, url_sealed, hint, event_types, secret_sealed, cursor, created_at, updated_at)
			SELECT $1, $2, 's', 'u', 'h', '{}', '\x08', 0, nightbell_now(), nightbell_now() WHERE $3::uuid IS NOT NULL`,
		`INSERT INTO heartbeat (org_id, id, service_id, name, every_seconds, severity, created_at, updated_at)
			SELECT $1, $2, id, 'h', 60, 'high', nightbell_now(), nightbell_now() FROM service WHERE org_id = $1 AND $3::uuid IS NOT NULL LIMIT 1`,
		`INSERT INTO webhook_delivery (org_id, id, subscription_id, event_id, event_type, payload, next_try_at, retry_since, created_at)
			SELECT $1, $2, id, $3::uuid, 't', '{}', nightbell_now(), nightbell_now(), nightbell_now() FROM webhook_subscription WHERE org_id = $1`,
		`INSERT INTO idempotency_key (org_id, caller_id, key, method, request_hash, response, created_at) SELECT $1, $2, $2::uuid, 'm', '\x03', '\x04', nightbell_now() WHERE $3::uuid IS NOT NULL`,
		`INSERT INTO calendar_feed (org_id, id, user_id, hash, sealed, created_by, created_at) VALUES ($1, $2, $3, '\x06', '\x07', $3, nightbell_now())`,
		`INSERT INTO incident_link (org_id, incident_id, other_id, created_at)
			SELECT $1, min(id::text)::uuid, max(id::text)::uuid, nightbell_now() FROM incident WHERE org_id = $1 AND $2::uuid <> $3::uuid`,
		`INSERT INTO incident_subscriber (org_id, incident_id, user_id, told_seq, next_try_at, created_at)
			SELECT $1, id, $3, 0, nightbell_now(), nightbell_now() FROM incident WHERE org_id = $1 AND $2::uuid IS NOT NULL LIMIT 1`,
		`INSERT INTO incident_timer (org_id, incident_id, kind, due_at)
			SELECT $1, id, 'auto_resolve', nightbell_now() FROM incident WHERE org_id = $1 AND $2::uuid <> $3::uuid LIMIT 1`,
		`INSERT INTO handover_notice (org_id, id, effect_key, schedule_id, user_id, contact_method_id, kind, starts_at, state, next_try_at, created_at)
			SELECT $1, $2, 'k', s.id, $3, c.id, 'on', nightbell_now(), 'pending', nightbell_now(), nightbell_now()
			FROM schedule s, contact_method c WHERE s.org_id = $1 AND c.org_id = $1 AND c.user_id = $3 LIMIT 1`,
		`INSERT INTO sample (org_id, service_id, name, at, sample_count, sum, min, max, last, last_at)
			SELECT $1, id, 'n', nightbell_now(), 1, 1, 1, 1, 1, nightbell_now() FROM service WHERE org_id = $1 AND $2::uuid <> $3::uuid LIMIT 1`,
		`INSERT INTO invitation (org_id, id, email, role, send, token_hash, invited_by, created_at, expires_at)
			VALUES ($1, $2, 'new@example.com', 'viewer', 'link', '\x0a', $3, nightbell_now(), nightbell_now() + interval '7 days')`,
		`INSERT INTO sample_series (org_id, service_id, name, written_at) SELECT $1, id, 'n', nightbell_now() FROM service WHERE org_id = $1 AND $2::uuid <> $3::uuid LIMIT 1`,
		`INSERT INTO sample_call (org_id, service_id, id, request_hash, created_at) SELECT $1, $3, $2, '\x09', nightbell_now()`,
		`INSERT INTO undecodable_alert (org_id, id, service_id, sender, reason, body, received_at)
			SELECT $1, $2, id, 'prometheus', 'r', '\x05', nightbell_now() FROM service WHERE org_id = $1 AND $3::uuid IS NOT NULL LIMIT 1`,
	} {
		db.Exec(t, sql, account.OrgID, id.New(), mara)
	}
}

// contents is everything in the tables that hold one organization's rows, without what
// chance or a sequence put there.
func contents(t *testing.T, db *pgtest.Database, orgID uuid.UUID) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := db.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'
			WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`)
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range names {
			var text string
			err := tx.QueryRow(ctx, `SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
				SELECT regexp_replace((to_jsonb(x) - '{seq,hash,sealed}'::text[])::text, '[0-9a-f-]{14}[47][0-9a-f]{3}-[0-9a-f-]{17}', 'chance', 'g') AS line
				FROM `+name+` x WHERE org_id = $1) AS lines`, orgID).Scan(&text)
			if err != nil {
				return err
			}
			all[name] = text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func signals() paging.Signals {
	return paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
