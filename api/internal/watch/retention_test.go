package watch_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// settled are the tables that only people fill, or that go with the rows they belong to.
var settled = strings.Fields(`
	installation enquiry org users membership team team_member api_key contact_method notification_rule sign_in_tally schema_migration test_clock write_probe
	escalation_policy escalation_step escalation_target schedule rotation rotation_person schedule_override calendar_feed
	service service_dependency sender_call heartbeat heartbeat_watch integration webhook_subscription incident_timer incident_link incident_subscriber maintenance_service alert_event sample`)

// A new table has to say here, or in expiries, what keeps it from growing for ever.
func TestEveryTableThatGrowsHasAKeepTime(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	for _, table := range w.Texts(t, `SELECT relname::text FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`) {
		if !slices.Contains(settled, table) && !slices.Contains(watch.Expiring(), table) {
			t.Errorf("%s: nothing says how long its rows are kept", table)
		}
	}
}

// daily is what a day of use writes besides alerts and incidents; $1 is the organization,
// $2 a new id.
var daily = []string{
	`INSERT INTO notification (org_id, id, effect_key, incident_id, contact_method_id, channel, cycle, round, step, reason, severity_rank, state, due_at, next_try_at, finished_at, created_at)
		SELECT $1, $2::uuid, $2::uuid::text, i.id, c.id, 'email', 1, 0, 0, '', 1, 'sent', nightbell_now(), nightbell_now(), nightbell_now(), nightbell_now()
		FROM incident i, contact_method c WHERE i.org_id = $1 AND c.org_id = $1 ORDER BY i.id DESC LIMIT 1`,
	`INSERT INTO delivery (org_id, id, contact_method_id, channel, outcome, incident_count, started_at, finished_at)
		SELECT $1, $2::uuid, c.id, 'email', 'accepted', 1, nightbell_now(), nightbell_now() FROM contact_method c WHERE c.org_id = $1 LIMIT 1`,
	`INSERT INTO change_event (org_id, id, service_id, kind, description, occurred_at) SELECT $1, $2::uuid, s.id, 'deployment', 'v2', nightbell_now() FROM service s WHERE s.org_id = $1 LIMIT 1`,
	`INSERT INTO sample (org_id, service_id, name, at, sample_count, sum, min, max, last, last_at)
		SELECT $1, s.id, $2::uuid::text, nightbell_now(), 1, 1, 1, 1, 1, nightbell_now() FROM service s WHERE s.org_id = $1 LIMIT 1`,
	`INSERT INTO sample_series (org_id, service_id, name, written_at) SELECT $1, s.id, $2::uuid::text, nightbell_now() FROM service s WHERE s.org_id = $1 LIMIT 1`,
	`INSERT INTO sample_call (org_id, service_id, id, request_hash, created_at) SELECT $1, s.id, $2::uuid, 'x', nightbell_now() FROM service s WHERE s.org_id = $1 LIMIT 1`,
	`INSERT INTO undecodable_alert (org_id, id, service_id, sender, reason, body, received_at) SELECT $1, $2::uuid, s.id, 'x', 'x', 'x', nightbell_now() FROM service s WHERE s.org_id = $1 LIMIT 1`,
	`INSERT INTO inbox_mail (org_id, id, sender, recipient, subject, text_sealed, html_sealed, received_at) VALUES ($1, $2::uuid, 'a', 'b', 'c', 'd', 'e', nightbell_now())`,
	`INSERT INTO test_page (org_id, id, contact_method_id, user_id, channel, status, created_at, finished_at)
		SELECT $1, $2::uuid, c.id, c.user_id, 'email', 'sent', nightbell_now(), nightbell_now() FROM contact_method c WHERE c.org_id = $1 AND c.user_id IS NOT NULL LIMIT 1`,
	`INSERT INTO handover_notice (org_id, id, effect_key, schedule_id, user_id, contact_method_id, kind, starts_at, state, next_try_at, created_at, finished_at)
		SELECT $1, $2::uuid, $2::uuid::text, s.id, c.user_id, c.id, 'on', nightbell_now(), 'sent', nightbell_now(), nightbell_now(), nightbell_now()
		FROM schedule s, contact_method c WHERE s.org_id = $1 AND c.org_id = $1 LIMIT 1`,
	`INSERT INTO timeline_event (org_id, id, kind, actor_kind, at) VALUES ($1, $2::uuid, 'oncall.changed', 'system', nightbell_now())`,
	`WITH s AS (INSERT INTO webhook_subscription (org_id, id, name, url_sealed, hint, event_types, secret_sealed, cursor, created_at, updated_at)
		SELECT $1, $1, 's', 'u', 'h', '{}', 's', 0, nightbell_now(), nightbell_now() WHERE NOT EXISTS (SELECT FROM webhook_subscription))
		SELECT $2::uuid`,
	`INSERT INTO webhook_delivery (org_id, id, subscription_id, event_id, event_type, payload, next_try_at, retry_since, created_at)
		VALUES ($1, $2::uuid, $1, $1, 't', '{}', nightbell_now(), nightbell_now(), nightbell_now())`,
	`INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_at) VALUES ($1, $2::uuid, 'x', nightbell_now(), nightbell_now(), nightbell_now())`,
	`INSERT INTO audit_event (org_id, id, at, actor_kind, method) VALUES ($1, $2::uuid, nightbell_now(), 'system', 'x')`,
	`INSERT INTO idempotency_key (org_id, caller_id, key, method, request_hash, response, created_at) VALUES ($1, $2::uuid, $2::uuid::text, 'x', 'x', 'x', nightbell_now())`,
	`INSERT INTO invitation (org_id, id, email, role, send, token_hash, created_at, expires_at) VALUES ($1, $2::uuid, $2::uuid::text || '@example.com', 'viewer', 'link', sha256(uuid_send($2::uuid)), nightbell_now(), nightbell_now())`,
	`INSERT INTO password_reset (id, user_id, token_hash, created_at, expires_at)
		SELECT $2::uuid, m.user_id, sha256(uuid_send($2::uuid)), nightbell_now(), nightbell_now() FROM membership m WHERE m.org_id = $1 LIMIT 1`,
	`INSERT INTO session (id, user_id, org_id, created_at, last_used_at) SELECT $2::uuid, m.user_id, m.org_id, nightbell_now(), nightbell_now() FROM membership m WHERE m.org_id = $1 LIMIT 1`,
	`INSERT INTO refresh_token (hash, session_id, issued_at, used_at) SELECT sha256(uuid_send($2::uuid)), s.id, nightbell_now(), nightbell_now() FROM session s WHERE s.org_id = $1 ORDER BY s.last_used_at DESC LIMIT 1`,
	`INSERT INTO known_device (user_id, device_hash, seen_at) SELECT m.user_id, sha256(uuid_send($2::uuid)), nightbell_now() FROM membership m WHERE m.org_id = $1 LIMIT 1`,
	`INSERT INTO service_key (hash, org_id, service_id, sealed, created_at, expires_at) SELECT sha256(uuid_send($2::uuid)), $1, s.id, 'x', nightbell_now(), nightbell_now() FROM service s WHERE s.org_id = $1 LIMIT 1`,
}

// Ninety times ten days: longer than anything is kept.
func TestNinetyRoundsOfUseStayFlat(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.AddSchedule(t, "Nights", "UTC")
	housekeeper := watch.New(w.DB, nil, watch.Options{Logger: slog.New(slog.NewTextHandler(failing{t}, nil)), RetentionDays: 90})
	// Whole weeks before the end, so that partitions lie alike whatever day it is.
	var at76 string
	sizes := map[int]int{62: 0, 76: 0, 90: 0}
	for round := 1; round <= 90; round++ {
		began := w.Clock.Now()
		key := fmt.Sprint(round)
		w.Accept(t, pagingtest.Firing(key, key, began))
		w.Accept(t, pagingtest.Ended(key, key, began))
		for _, sql := range daily {
			w.Exec(t, sql, w.Org, id.New())
		}
		housekeeper.Housekeep(t.Context())
		if round == 76 {
			at76 = rows(t, w)
		}
		if _, weigh := sizes[round]; weigh {
			sizes[round] = onDisk(t, w)
		}
		w.Clock.Advance(10 * 24 * time.Hour)
	}
	if at90 := rows(t, w); at90 != at76 {
		t.Errorf("rows after 760 days:\n%s\nafter 900 days:\n%s", at76, at90)
	}
	t.Logf("bytes on disk after 620, 760 and 900 days: %d, %d, %d", sizes[62], sizes[76], sizes[90])
	if sizes[90] > sizes[76]*51/50 { // a dozen pages of PostgreSQL
		t.Errorf("%d bytes on disk after 760 days, %d after 900", sizes[76], sizes[90])
	}
	// By the week: how many of every tenth day are left depends on the day.
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM sample`); n < 3 || n > 4 {
		t.Errorf("samples of %d days are left of one in ten, kept for 30 days and their week", n)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'sample'::regclass`); n < 9 || n > 12 {
		t.Errorf("samples have %d partitions", n)
	}
	var left int
	if err := w.Owner(t).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM alert_event_default) + (SELECT count(*) FROM sample_default)`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d events and samples lie in the default partitions: none was made for their week (%v)", left, err)
	}
}

// rows counts every table, and the partitions of alert_event.
func rows(t *testing.T, w *workspace) string {
	t.Helper()
	var lines []string
	for _, table := range append(watch.Expiring(), "alert_event") {
		n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM `+table)
		if n == 0 && table != "idempotency_key" && table != "service_key" && table != "refresh_token" {
			t.Errorf("%s is empty: what is still needed was deleted, or never written", table)
		}
		lines = append(lines, fmt.Sprintf("%s %d", table, n))
	}
	parts := pgtest.One[int](t, w.Database, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'alert_event'::regclass`)
	return strings.Join(append(lines, fmt.Sprintf("partitions %d", parts)), "\n")
}

// onDisk is what all tables take with their indexes, once what was deleted can be used again.
// The first time frees what was never vacuumed, so that only later ones can be compared.
func onDisk(t *testing.T, w *workspace) (bytes int) {
	t.Helper()
	owner := w.Owner(t)
	if _, err := owner.Exec(t.Context(), "VACUUM"); err != nil {
		t.Fatal(err)
	}
	err := owner.QueryRow(t.Context(), `SELECT sum(pg_total_relation_size(oid)) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`).Scan(&bytes)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// failing is a log in which no line may stand.
type failing struct{ t *testing.T }

func (f failing) Write(line []byte) (int, error) {
	f.t.Errorf("housekeeping logged: %s", line)
	return len(line), nil
}

func TestRetentionLeavesOpenIncidentsAndTheAuditLogAlone(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("a", "a", w.Clock.Now()))
	w.Exec(t, `UPDATE notification SET state = 'sent', finished_at = nightbell_now()`)
	w.Exec(t, `INSERT INTO audit_event (org_id, id, at, actor_kind, method) VALUES ($1, $2, nightbell_now() - interval '30 days', 'system', 'x')`, w.Org, id.New())
	pages := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification`)
	w.Clock.Advance(800 * 24 * time.Hour)
	watch.New(w.DB, nil, watch.Options{Logger: slog.New(slog.NewTextHandler(failing{t}, nil)), RetentionDays: 7}).Housekeep(t.Context())
	for what, want := range map[string]int{"incident": 1, "alert": 1, "notification": pages} {
		if got := pgtest.One[int](t, w.Database, `SELECT count(*) FROM `+what); got != want || want == 0 {
			t.Errorf("%d rows of %s are left, not %d", got, what, want)
		}
	}
}

// Whoever may sweep may not remove what was done this year.
func TestNobodyDeletesYoungAuditRows(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `INSERT INTO audit_event (org_id, id, at, actor_kind, method) VALUES ($1, $2, nightbell_now() - interval '300 days', 'system', 'young')`, w.Org, id.New())
	w.Exec(t, `INSERT INTO audit_event (org_id, id, at, actor_kind, method) VALUES ($1, $2, nightbell_now() - interval '400 days', 'system', 'old')`, w.Org, id.New())
	tx, err := w.Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), `SET LOCAL ROLE nightbell_system`); err != nil {
		t.Fatal(err)
	}
	tag, err := tx.Exec(t.Context(), `DELETE FROM audit_event`)
	if err != nil || tag.RowsAffected() != 1 {
		t.Errorf("deleted %d rows, %v", tag.RowsAffected(), err)
	}
}
