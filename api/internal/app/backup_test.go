package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestABackupIsRestoredAsACopy by the commands that an operator runs, while the original serves.
func TestABackupIsRestoredAsACopy(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	incident := n.makeIncident()
	var said bytes.Buffer
	options := Options{Version: "test", Out: &said}
	path := filepath.Join(t.TempDir(), "nightbell.zip")

	// 1. The file: nobody else reads it, none is replaced, and what failed leaves nothing.
	must(t, Backup(t.Context(), r.Config, options, path))
	info := sure(os.Stat(path))
	if info.Mode().Perm() != 0o600 || !strings.Contains(said.String(), "Keep ") || !strings.Contains(said.String(), r.box.Fingerprint()) {
		t.Errorf("mode %v, and it says %s", info.Mode(), said.String())
	}
	if err := Backup(t.Context(), r.Config, options, path); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("over another backup: %v", err)
	}
	unused := r.Config
	unused.DatabaseURL, unused.DataDir = "", t.TempDir()
	if err := Backup(t.Context(), unused, options, filepath.Join(t.TempDir(), "none.zip")); err == nil || !strings.Contains(err.Error(), "no database of Nightbell is in") {
		t.Errorf("of nothing: %v", err)
	}
	if left := sure(os.ReadDir(filepath.Dir(path))); len(left) != 1 {
		t.Errorf("%d files beside the backup", len(left)-1)
	}

	// 2. Another key opens nothing of it.
	into := r.Config
	into.DatabaseURL = pgtest.New(t).DSN()
	wrong := into
	wrong.DataKey = strings.Repeat("ab", 32)
	if err := Restore(t.Context(), wrong, options, path); err == nil || !strings.Contains(err.Error(), "is not the one that sealed") {
		t.Errorf("with another key: %v", err)
	}

	// 3. Restored, it shows everything and pages nobody. The operator may also confirm it before its first start.
	must(t, Restore(t.Context(), into, options, path))
	atOnce := into
	atOnce.DatabaseURL = pgtest.New(t).DSN()
	must(t, Restore(t.Context(), atOnce, options, path))
	must(t, ConfirmRestored(t.Context(), atOnce, options))
	confirmed := &rig{t: t, database: r.database, logged: &lines{}}
	confirmed.start(atOnce)
	if confirmed.copied.Load() {
		t.Error("it was confirmed before its first start, and pages nobody")
	}
	copied := &rig{t: t, database: r.database, logged: &lines{}}
	copied.start(into)
	if !copied.copied.Load() {
		t.Error("it is no copy, and pages beside its original")
	}
	if shown := copied.plainly("GET", "/v1/incidents/"+incident, n.owner(), nil); shown.status != 200 {
		t.Errorf("its incident: %d %s", shown.status, shown.body)
	}
	if err := Restore(t.Context(), into, options, path); err == nil || !strings.Contains(err.Error(), "is in use") {
		t.Errorf("over an installation: %v", err)
	}
}
