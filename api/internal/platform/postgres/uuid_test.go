package postgres_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestUUIDsComeBackAsTheyWent(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	one, two := id.New(), id.New()
	err := db.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		var single uuid.UUID
		var pointer, null *uuid.UUID
		var list []uuid.UUID
		var pointers []*uuid.UUID
		var text string
		none := []*uuid.UUID{nil, &one}
		err := tx.QueryRow(ctx, `SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid[], $5::uuid[], $1::text, $6::uuid[]`,
			one, &two, null, []uuid.UUID{one, two}, []*uuid.UUID{&one, nil}, none).
			Scan(&single, &pointer, &null, &list, &pointers, &text, &none)
		if err != nil {
			return err
		}
		if single != one || pointer == nil || *pointer != two || null != nil || text != one.String() ||
			len(list) != 2 || list[1] != two || len(pointers) != 2 || *pointers[0] != one || pointers[1] != nil ||
			none[0] != nil || *none[1] != one {
			t.Errorf("got %v %v %v %v %v %q", single, pointer, null, list, pointers, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
