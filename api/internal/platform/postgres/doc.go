// Package postgres is the way to the database: connections that take the right
// role, transactions that carry the organization, the schema's migrations and
// the classification of errors.
//
// Entry files: pool.go (Open), tx.go (InTenant, InSystem, Now), migrate.go
// (Migrate), roles.go (EnsureRoles), errors.go (IsUnavailable and friends).
// Neighbours: embedded starts a private server when no DATABASE_URL is given,
// pgtest gives every test its own migrated database.
//
// A request handler reads and writes as one organization; row-level security
// hides everything else:
//
//	err := db.InTenant(ctx, orgID, func(ctx context.Context, tx pgx.Tx) error {
//		now, err := postgres.Now(ctx, tx)
//		if err != nil {
//			return err
//		}
//		return incidentdb.New(tx).Acknowledge(ctx, incidentdb.AcknowledgeParams{..., At: now})
//	})
//	switch {
//	case postgres.IsUnavailable(err): // answer 503
//	case postgres.ConstraintName(err) == "team_name_key": // answer 409
//	}
//
// A loop that serves every organization names its pool, so that a busy
// neighbour can never take its connections (design rule 8):
//
//	err := db.InSystem(ctx, postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
//		...
//	}, postgres.LockTimeout(50*time.Millisecond))
//
// The function given to InTenant or InSystem may run up to three times (after
// a deadlock or a serialization failure), so it must not act outside tx.
package postgres
