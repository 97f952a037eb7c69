//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
)

// TestDocsDatabase runs the statements of the page /docs/deployment as the administrator of a new
// PostgreSQL, and then migrates its database as the role that they made, which may nothing else.
func TestDocsDatabase(t *testing.T) {
	server, err := embedded.Start(t.Context(), embedded.Options{
		DataDir: filepath.Join(emptyDataDir(t), "data"), Settings: map[string]string{"fsync": "off"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	admin, err := pgx.Connect(t.Context(), server.AdminDSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close(context.Background()) })
	// The private PostgreSQL comes with a role and a database of these names.
	statements := "DROP DATABASE nightbell;\nDROP ROLE nightbell;\n" + docsRegion(t, "docs-mdx/commands/database.sql", "roles")
	for statement := range strings.SplitSeq(statements, ";\n") {
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for _, command := range []string{"migrate up", "doctor"} {
		run := exec.CommandContext(t.Context(), os.Getenv("NIGHTBELL_BIN"), strings.Fields(command)...)
		run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "DATABASE_URL=" + server.DSN()}
		if printed, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, printed)
		}
	}
}
