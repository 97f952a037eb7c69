package escalationdb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// LockTurn reads the next turn of a policy and keeps it for this transaction, which
// stores the one that follows by QueueTurns. A policy that is gone has turn 0.
func LockTurn(ctx context.Context, tx pgx.Tx, orgID, policyID uuid.UUID) (next int, err error) {
	err = tx.QueryRow(ctx, `SELECT next_turn FROM escalation_policy WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`, orgID, policyID).Scan(&next)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return next, err
}

// QueueTurns adds the statement that stores the next turns of policies, each locked by
// LockTurn, to a pipelined batch; the keys are organization and policy.
func QueueTurns(batch *pgx.Batch, turns map[[2]uuid.UUID]int) {
	if len(turns) == 0 {
		return
	}
	keys := make([][2]uuid.UUID, 0, len(turns))
	for key := range turns {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]uuid.UUID) int {
		return cmp.Or(bytes.Compare(a[0][:], b[0][:]), bytes.Compare(a[1][:], b[1][:]))
	})
	orgs, policies, next := make([]uuid.UUID, len(keys)), make([]uuid.UUID, len(keys)), make([]int32, len(keys))
	for i, key := range keys {
		orgs[i], policies[i], next[i] = key[0], key[1], int32(turns[key])
	}
	batch.Queue(`UPDATE escalation_policy p SET next_turn = taken.next
		FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::integer[]) AS next) taken
		WHERE p.org_id = taken.org_id AND p.id = taken.id`, orgs, policies, next)
}
