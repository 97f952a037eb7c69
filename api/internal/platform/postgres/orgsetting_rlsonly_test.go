//go:build rlsonly

package postgres_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// What the tenant test of package app relies on.
func TestOrgSettingOverridesWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	acme, umbrella := two(t, db)
	seen := func(asked, setting uuid.UUID) (found string) {
		ctx := postgres.WithOrgSetting(t.Context(), setting)
		err := db.InTenant(ctx, asked, func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT coalesce(string_agg(id::text, ' '), '') FROM team WHERE org_id = $1", asked).Scan(&found)
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := seen(umbrella, acme); got != "" {
		t.Errorf("under Acme's setting Umbrella's teams are %s", got)
	}
	if got := seen(umbrella, umbrella); got != pgtest.Row(umbrella, "team").String() {
		t.Errorf("under its own setting Umbrella's teams are %q", got)
	}
}
