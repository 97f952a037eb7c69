package escalationdb

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// QueueTurns adds the statement that counts the turns that were taken of policies, by
// organization and policy, to a pipelined batch.
func QueueTurns(batch *pgx.Batch, taken map[[2]uuid.UUID]int) {
	if len(taken) == 0 {
		return
	}
	keys := make([][2]uuid.UUID, 0, len(taken))
	for key := range taken {
		keys = append(keys, key)
	}
	// Always in one order, so that two transactions cannot deadlock.
	slices.SortFunc(keys, func(a, b [2]uuid.UUID) int {
		return cmp.Or(bytes.Compare(a[0][:], b[0][:]), bytes.Compare(a[1][:], b[1][:]))
	})
	for _, key := range keys {
		batch.Queue(`UPDATE escalation_policy SET next_turn = next_turn + $3 WHERE org_id = $1 AND id = $2`, key[0], key[1], taken[key])
	}
}
