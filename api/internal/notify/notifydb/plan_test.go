package notifydb_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// TestPagesAreFoundByTheirContactHoweverManyThereAre: a claim keeps its plan, which may have been made while all open pages
// were those of one contact.
func TestPagesAreFoundByTheirContactHoweverManyThereAre(t *testing.T) {
	w := pagingtest.New(t)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	owner := w.Owner(t)
	for _, setting := range []string{"enable_seqscan = off", "enable_hashjoin = off", "enable_mergejoin = off", "ROLE nightbell_system"} {
		if _, err := owner.Exec(t.Context(), "SET "+setting); err != nil {
			t.Fatal(err)
		}
	}
	used := regexp.MustCompile(`using (notification_\w+) on notification|Index Scan on (notification_\w+)`)
	look := func(pages int) {
		results, err := owner.PgConn().Exec(t.Context(), "EXPLAIN (GENERIC_PLAN) "+notifydb.LockDueQuery()).ReadAll() // pgx itself wants arguments
		if err != nil {
			t.Fatal(err)
		}
		var indexes []string
		for _, row := range results[0].Rows {
			if found := used.FindStringSubmatch(string(row[0])); found != nil {
				indexes = append(indexes, found[1]+found[2])
			}
		}
		if !slices.Equal(indexes, []string{"notification_open_idx", "notification_open_idx", "notification_open_idx"}) {
			t.Fatalf("at %d pages the plan reads by %q:\n%s", pages, indexes, slices.Concat(results[0].Rows...))
		}
	}
	look(1)
	for pages := 1; pages < 3000; pages *= 2 {
		w.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
				severity_rank, state, due_at, next_try_at, created_at)
			SELECT n.org_id, gen_random_uuid(), gen_random_uuid()::text, n.incident_id, n.user_id, n.contact_method_id, n.channel, 1, 0, 0, '', 0, 'pending', n.due_at, n.next_try_at, n.created_at
			FROM (SELECT * FROM notification LIMIT 1) n, generate_series(1, $1::integer)`, pages)
		look(2 * pages)
		if _, err := owner.PgConn().Exec(t.Context(), "RESET ROLE; ANALYZE notification; SET ROLE nightbell_system").ReadAll(); err != nil {
			t.Fatal(err)
		}
		look(2 * pages)
	}
}
