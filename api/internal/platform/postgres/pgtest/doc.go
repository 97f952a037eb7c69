// Package pgtest gives a test its own migrated PostgreSQL database, and a clock
// that the test can move.
//
//	func TestAcknowledgeStopsEscalation(t *testing.T) {
//		t.Parallel()
//		db := pgtest.New(t)
//		db.Exec(t, "INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())", orgID)
//
//		err := db.InTenant(t.Context(), orgID, func(ctx context.Context, tx pgx.Tx) error { ... })
//
//		db.Clock.Advance(15 * time.Minute) // postgres.Now(ctx, tx) is 15 minutes later
//		got := pgtest.One[string](t, db, "SELECT status FROM incident WHERE id = $1", incidentID)
//	}
//
// The server is the one of NIGHTBELL_TEST_DATABASE_URL, whose login role must be
// allowed to create databases and roles, or, when that is not set, a private one
// per test binary that needs no set-up, also as root. Its data is a copy of a
// prepared one, kept in the system's temporary folder and made again when the
// migrations change; it is not safe from a power cut, and ends with the process.
//
// A test without a server fails; it is never skipped. Entry file: database.go.
package pgtest
