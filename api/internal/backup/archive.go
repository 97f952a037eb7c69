// Package backup writes everything that an installation has stored into one file, and reads it back.
//
//  1. Write reads all tables in one transaction, so that the file holds one moment of a database that
//     is in use.
//  2. Open checks that a file is whole before anything is done with it.
//  3. Restore fills an empty database with it, all or nothing. What it made is a restored copy, which
//     pages nobody until a person confirms it (package installation).
//
// The file is a ZIP archive: manifest.json, and for each table its rows in PostgreSQL's text form, in
// tables. Sealed secrets stay sealed; the data key is not in it.
package backup

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// format is raised when a file cannot be read any more by who knows the one before.
const format = 1

const manifestName = "manifest.json"

// Manifest says what a backup holds.
type Manifest struct {
	Format int       `json:"format"`
	MadeAt time.Time `json:"made_at"`
	// Version is that of the program that wrote it.
	Version string `json:"version"`
	// EnvironmentID names the installation, and KeyFingerprint the data key that sealed its secrets.
	EnvironmentID  uuid.UUID   `json:"environment_id"`
	KeyFingerprint string      `json:"key_fingerprint"`
	Migrations     []Migration `json:"migrations"`
	Tables         []Table     `json:"tables"`
	Sequences      []Sequence  `json:"sequences"`
}

// Migration is one that the database had applied.
type Migration struct {
	Name     string `json:"name"`
	Checksum string `json:"checksum"`
}

// Table is the rows of one table. SHA256 is that of its file before it was packed.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
	Bytes   int64    `json:"bytes"`
	SHA256  string   `json:"sha256"`
}

func (t Table) file() string { return "tables/" + t.Name + ".copy" }

// Sequence is where a sequence stood.
type Sequence struct {
	Name   string `json:"name"`
	Last   int64  `json:"last"`
	Called bool   `json:"called"`
}

// Rows counts them all.
func (m Manifest) Rows() (rows int64) {
	for _, table := range m.Tables {
		rows += table.Rows
	}
	return rows
}

// Progress is told how far it is: which table, how many of how many tables are done, and the rows so far.
type Progress func(table string, done, tables int, rows int64)

// Archive is a backup that was found whole.
type Archive struct {
	Manifest

	zip *zip.ReadCloser
}

// Close closes the file.
func (a *Archive) Close() error { return a.zip.Close() }

// Open reads a file to its end and fails with a sentence when it is no backup, not whole, or of a
// newer Nightbell.
func Open(path string, progress Progress) (_ *Archive, err error) {
	packed, err := zip.OpenReader(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return nil, err
		}
		return nil, fmt.Errorf("%s is no backup of Nightbell, or was cut off: %w", path, err)
	}
	a := &Archive{zip: packed}
	defer func() {
		if err != nil {
			_ = packed.Close()
		}
	}()
	if err := a.readManifest(); err != nil {
		return nil, fmt.Errorf("%s is no backup of Nightbell: %w", path, err)
	}
	if err := a.fits(); err != nil {
		return nil, err
	}
	var rows int64
	for i, table := range a.Tables {
		progress(table.Name, i, len(a.Tables), rows)
		if err := a.verify(table); err != nil {
			return nil, fmt.Errorf("%s is damaged: %s: %w. Use another backup", path, table.file(), err)
		}
		rows += table.Rows
	}
	return a, nil
}

func (a *Archive) readManifest() error {
	file, err := a.zip.Open(manifestName)
	if err != nil {
		return err
	}
	defer file.Close()
	return json.NewDecoder(file).Decode(&a.Manifest)
}

// fits refuses what this program cannot bring into its own schema.
func (a *Archive) fits() error {
	known, err := postgres.BuiltinMigrations()
	if err != nil {
		return err
	}
	if a.Format > format || len(a.Migrations) > len(known) {
		return fmt.Errorf("this backup was made by Nightbell %s, which is newer than this one. Restore it with that version or a later one", a.Version)
	}
	for i, applied := range a.Migrations {
		if known[i].Checksum != applied.Checksum {
			return fmt.Errorf("this backup was made by Nightbell %s, whose migration %s is another than ours. Restore it with that version, then upgrade", a.Version, applied.Name)
		}
	}
	return nil
}

// verify reads the rows of a table and compares them with the manifest.
func (a *Archive) verify(table Table) error {
	file, err := a.zip.Open(table.file())
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	switch {
	case err != nil:
		return err
	case size != table.Bytes || hex.EncodeToString(sum.Sum(nil)) != table.SHA256:
		return errors.New("it is not what the manifest says")
	}
	return nil
}
