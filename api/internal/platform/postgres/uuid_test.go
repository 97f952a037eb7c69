package postgres

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// TestUUIDsTravelInBinary counts what an array of ids costs: by way of text each takes several
// allocations.
func TestUUIDsTravelInBinary(t *testing.T) { //nolint:paralleltest // it counts allocations
	types := pgtype.NewMap()
	registerUUID(types)
	one := uuid.New()
	values, pointers := make([]uuid.UUID, 100), make([]*uuid.UUID, 100)
	for i := range values {
		values[i] = one
		if i%10 > 0 {
			pointers[i] = &one
		}
	}
	for name, array := range map[string]any{"values": values, "pointers": pointers} {
		var encoded []byte
		allocations := testing.AllocsPerRun(20, func() {
			var err error
			if encoded, err = types.Encode(pgtype.UUIDArrayOID, pgtype.BinaryFormatCode, array, encoded[:0]); err != nil {
				t.Fatal(err)
			}
		})
		if allocations > 300 {
			t.Errorf("%s: %v allocations for 100 ids", name, allocations)
		}
		t.Logf("%s: %v allocations", name, allocations)
		var decoded []*uuid.UUID
		if err := types.Scan(pgtype.UUIDArrayOID, pgtype.BinaryFormatCode, encoded, &decoded); err != nil {
			t.Fatal(err)
		}
		for i, got := range decoded {
			if none := name == "pointers" && i%10 == 0; none != (got == nil) || got != nil && *got != one {
				t.Errorf("%s: element %d came back as %v", name, i, got)
			}
		}
	}
}
