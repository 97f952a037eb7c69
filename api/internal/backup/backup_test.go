package backup_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/backup"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func quiet(string, int, int, int64) {}

// used makes a database in which every table has rows.
func used(t *testing.T) *pagingtest.Workspace {
	t.Helper()
	w := pagingtest.New(t)
	w.Exec(t, `INSERT INTO installation (environment_id, created_at, key_fingerprint, home) VALUES (gen_random_uuid(), nightbell_now(), 'abcd', '{"address": "here"}') ON CONFLICT DO NOTHING`)
	pgtest.FillOrganization(t, w.Database, w.Org)
	w.Exec(t, `UPDATE service SET description = E'tab\there, "quotes", \\backslash, ünïcödé 🔔\nand a line' WHERE org_id = $1`, w.Org)
	for n := range 50 {
		w.Accept(t, pagingtest.Firing(fmt.Sprint("cpu", n), "", pagingtest.Began))
	}
	w.Sweep(t)
	return w
}

func write(t *testing.T, dsn string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "nightbell.backup")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Write(t.Context(), dsn, "test", file, quiet); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func restore(t *testing.T, path string, into *pgtest.Database) error {
	t.Helper()
	archive, err := backup.Open(path, quiet)
	if err != nil {
		return err
	}
	defer archive.Close()
	return archive.Restore(t.Context(), into.DSN(), quiet)
}

// contents digests every table as nightbell_system sees it, and all that the catalog says of it. It
// finds the tables by itself, so that one which the backup forgets is missed.
func contents(t *testing.T, d *pgtest.Database) map[string]string {
	t.Helper()
	found := map[string]string{}
	conn := d.Owner(t)
	if _, err := conn.Exec(t.Context(), `SET ROLE `+postgres.SystemRole); err != nil {
		t.Fatal(err)
	}
	read := func(sql string) []string {
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		list, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, table := range read(`SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_migration'`) {
		row := "to_jsonb(t)"
		if table == "installation" {
			row += " - 'home'"
		}
		found[table] = strings.Join(read(fmt.Sprintf(`SELECT count(*) || ' rows, ' || coalesce(md5(string_agg((%s)::text, E'\n' ORDER BY (%s)::text)), '') FROM %s t`, row, row, pgx.Identifier{table}.Sanitize())), "")
	}
	found["constraints"] = strings.Join(read(`SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1`), "\n")
	found["security"] = strings.Join(read(`SELECT relname || relrowsecurity || relforcerowsecurity || coalesce(relacl::text, '') FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`), "\n")
	found["sequences"] = strings.Join(read(`SELECT sequencename || ' ' || coalesce(last_value, 0) FROM pg_sequences ORDER BY 1`), "\n")
	return found
}

func TestABackupHoldsEverything(t *testing.T) {
	t.Parallel()
	w, into := used(t), pgtest.New(t)
	before := contents(t, w.Database)
	for table, digest := range before {
		if strings.HasPrefix(digest, "0 rows") && !slices.Contains([]string{"write_probe", "heartbeat_watch", "enquiry", "sign_in_tally", "password_reset", "known_device", "refresh_token", "session", "invitation"}, table) {
			t.Errorf("%s has no rows, so that this test says nothing of it", table)
		}
	}
	if err := restore(t, write(t, w.DSN()), into); err != nil {
		t.Fatal(err)
	}
	after := contents(t, into)
	for name := range maps.Keys(before) {
		if before[name] != after[name] {
			t.Errorf("%s:\n%s\nbecame\n%s", name, before[name], after[name])
		}
	}
	// Who looks finds a copy, and the feed goes on where it stood.
	if home := pgtest.One[string](t, into, `SELECT home ->> 'address' FROM installation`); home != "a backup" {
		t.Errorf("it is at home at %q", home)
	}
	if err := restore(t, write(t, w.DSN()), into); !errors.Is(err, backup.ErrInUse) {
		t.Errorf("over what is there: %v", err)
	}
}

// TestABackupIsOfOneMoment: alerts are stored meanwhile, and what refers to them comes with them.
func TestABackupIsOfOneMoment(t *testing.T) {
	t.Parallel()
	w, into := used(t), pgtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	stored := make(chan int, 1)
	writing.Go(func() {
		n := 0
		for ; ctx.Err() == nil; n++ {
			w.Accept(t, pagingtest.Firing(fmt.Sprint("meanwhile", n), "", pagingtest.Began))
		}
		stored <- n
	})
	var path string
	for range 5 {
		path = write(t, w.DSN())
	}
	cancel()
	writing.Wait()
	t.Logf("%d alerts were stored meanwhile", <-stored)
	if err := restore(t, path, into); err != nil {
		t.Fatal(err) // a reference to what is not there fails
	}
	if n := pgtest.One[int](t, into, `SELECT count(*) FROM alert a WHERE a.incident_id IS NOT NULL AND NOT EXISTS (SELECT FROM incident i WHERE i.org_id = a.org_id AND i.id = a.incident_id)`); n != 0 {
		t.Errorf("%d alerts without their incident", n)
	}
	for _, sequence := range []string{"timeline_event"} {
		if n := pgtest.One[int](t, into, `SELECT count(*) FROM timeline_event WHERE seq > (SELECT last_value FROM timeline_event_seq_seq)`); n != 0 {
			t.Errorf("%s: %d rows are ahead of its sequence", sequence, n)
		}
	}
}

// altered writes the archive again with one file replaced; nil leaves it out.
func altered(t *testing.T, path, name string, replace func([]byte) []byte) string {
	t.Helper()
	in, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	packed := zip.NewWriter(&out)
	for _, file := range in.File {
		reader, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name == name {
			if content = replace(content); content == nil {
				continue
			}
		}
		writer, err := packed.Create(file.Name)
		if err == nil {
			_, err = writer.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed.backup")
	if err := os.WriteFile(changed, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return changed
}

func TestWhatIsNotWholeIsRefused(t *testing.T) {
	t.Parallel()
	w, into := used(t), pgtest.New(t)
	path := write(t, w.DSN())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.backup")
	if err := os.WriteFile(cut, whole[:len(whole)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	swap := func(from, to string) func([]byte) []byte {
		return func(content []byte) []byte {
			if !bytes.Contains(content, []byte(from)) {
				t.Fatalf("no %q to replace", from)
			}
			return bytes.Replace(content, []byte(from), []byte(to), 1)
		}
	}
	for name, test := range map[string]struct{ path, want string }{
		"missing":          {filepath.Join(t.TempDir(), "none"), "no such file"},
		"cut off":          {cut, "cut off"},
		"another file":     {altered(t, path, "manifest.json", func([]byte) []byte { return nil }), "no backup of Nightbell"},
		"a changed row":    {altered(t, path, "tables/incident.copy", swap("critical", "medium__")), "is damaged"},
		"a missing table":  {altered(t, path, "tables/incident.copy", func([]byte) []byte { return nil }), "is damaged"},
		"a newer format":   {altered(t, path, "manifest.json", swap(`"format": 1`, `"format": 2`)), "newer than this one"},
		"another schema":   {altered(t, path, "manifest.json", swap(`"checksum": "`, `"checksum": "0`)), "whose migration"},
		"a forgotten rule": {altered(t, path, "manifest.json", swap(`"name": "incident"`, `"name": "incidents"`)), "is damaged"},
	} {
		if err := restore(t, test.path, into); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	if n := pgtest.One[int](t, into, `SELECT count(*) FROM org`); n != 0 {
		t.Errorf("%d organizations", n)
	}
	if err := restore(t, path, into); err != nil {
		t.Errorf("the whole one after them: %v", err)
	}
}

// TestARestoreThatIsCutOffLeavesNothing, and may be done again.
func TestARestoreThatIsCutOffLeavesNothing(t *testing.T) {
	t.Parallel()
	w, into := used(t), pgtest.New(t)
	archive, err := backup.Open(write(t, w.DSN()), quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for at := 0; at <= len(archive.Tables); at += 7 {
		ctx, cancel := context.WithCancel(t.Context())
		err := archive.Restore(ctx, into.DSN(), func(_ string, done, _ int, _ int64) {
			if done == at {
				cancel()
			}
		})
		cancel()
		if err == nil {
			t.Fatalf("restored although it was cut off at table %d", at)
		}
	}
	if n := pgtest.One[int](t, into, `SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND NOT relforcerowsecurity`); n != 0 {
		t.Errorf("%d tables are open to their owner", n)
	}
	if err := archive.Restore(t.Context(), into.DSN(), quiet); err != nil {
		t.Error(err)
	}
}

// TestAnotherProgramsDatabaseIsLeftAlone: nothing is made in it, not even an empty table.
func TestAnotherProgramsDatabaseIsLeftAlone(t *testing.T) {
	t.Parallel()
	into := pgtest.New(t)
	archive, err := backup.Open(write(t, used(t).DSN()), quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	owner := into.Owner(t)
	for _, statement := range []string{`DROP SCHEMA public CASCADE`, `CREATE SCHEMA public`, `CREATE VIEW sales AS SELECT 1 AS amount`} {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Restore(t.Context(), into.DSN(), quiet); err == nil || !strings.Contains(err.Error(), "it holds sales") {
		t.Errorf("restored into another program's database: %v", err)
	}
	var relations int
	if err := owner.QueryRow(t.Context(), `SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace`).Scan(&relations); err != nil || relations != 1 {
		t.Errorf("%d relations are there now: %v", relations, err)
	}
}

func TestABackupOfNothingIsRefused(t *testing.T) {
	t.Parallel()
	empty := pgtest.New(t)
	if _, err := backup.Write(t.Context(), empty.DSN(), "test", io.Discard, quiet); err == nil || !strings.Contains(err.Error(), "no Nightbell has used this database yet") {
		t.Error(err)
	}
}

// BenchmarkBackup writes and restores an installation with 100,000 incidents and half a million lines of
// their timelines.
func BenchmarkBackup(b *testing.B) {
	w, into := pgtest.New(b), pgtest.New(b)
	org := "00000000-0000-4000-8000-000000000001"
	w.Exec(b, `INSERT INTO installation (environment_id, created_at) VALUES (gen_random_uuid(), nightbell_now())`)
	w.Exec(b, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Large', nightbell_now())`, org)
	w.Exec(b, `INSERT INTO incident (org_id, id, number, title, description, status, severity, urgency, source, triggered_at, resolved_at, updated_at)
		SELECT $1::text::uuid, gen_random_uuid(), n, 'Checkout payments failing ' || n, repeat('38% of card payments fail. ', 5), 'resolved', 'high', 'high', 'prometheus', now() - n * interval '1 minute', now(), now()
		FROM generate_series(1, 100000) n`, org)
	w.Exec(b, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, at)
		SELECT org_id, gen_random_uuid(), id, 'paged', 'system', 'Mara Lindqvist was paged by e-mail (mara@nightbell.example) ' || n, now() FROM incident, generate_series(1, 5) n`)
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "large.zip")
		file, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		m, err := backup.Write(b.Context(), w.DSN(), "bench", file, quiet)
		if err != nil {
			b.Fatal(err)
		}
		wrote := time.Since(began)
		size, _ := file.Seek(0, io.SeekEnd)
		_ = file.Close()
		began = time.Now()
		archive, err := backup.Open(path, quiet)
		if err == nil {
			err = archive.Restore(b.Context(), into.DSN(), quiet)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(wrote.Seconds(), "s/backup")
		b.ReportMetric(time.Since(began).Seconds(), "s/restore")
		b.ReportMetric(float64(size)/1e6, "MB")
		b.ReportMetric(float64(m.Rows()), "rows")
		into = pgtest.New(b)
	}
}
