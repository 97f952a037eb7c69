package pgtest

import "testing"

// FillDisk makes the database refuse to grow by what it is asked to store to find out, as a
// full disk does.
func FillDisk(tb testing.TB, d *Database) {
	tb.Helper()
	_, err := d.Owner(tb).Exec(tb.Context(), `
		CREATE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
		CREATE TRIGGER disk_is_full BEFORE INSERT ON write_probe EXECUTE FUNCTION disk_is_full()`)
	if err != nil {
		tb.Fatal(err)
	}
}
