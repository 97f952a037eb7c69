package alertdb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// The plan is made while tables are empty and kept: with a condition on the status the
// partial index of open incidents looked as good as the key, and every repeat of an alert
// read all open incidents of its organization.
func TestARepeatReadsOneIncident(t *testing.T) {
	t.Parallel()
	owner := pgtest.New(t).Owner(t)
	if _, err := owner.Exec(t.Context(), "SET enable_seqscan = off; SET ROLE nightbell_system"); err != nil {
		t.Fatal(err)
	}
	results, err := owner.PgConn().Exec(t.Context(), "EXPLAIN (GENERIC_PLAN) "+lockSQL).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	plan := fmt.Sprintf("%s", results[0].Rows)
	for _, index := range []string{"incident_pkey", "alert_key_key"} {
		if !strings.Contains(plan, index) {
			t.Errorf("%s is not used: %s", index, plan)
		}
	}
}
