package postgres

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed migrations
var migrationFiles embed.FS

// Migration is one numbered step of the schema and the way back.
type Migration struct {
	Version int
	// Name is the file's name without number and ending, as in "foundation".
	Name     string
	Up, Down string
	// Checksum is the SHA-256 of Up in hexadecimal.
	Checksum string
}

// String is the migration's file name without its ending.
func (m Migration) String() string { return fmt.Sprintf("%04d_%s", m.Version, m.Name) }

// BuiltinMigrations returns the migrations inside the binary. It fails only when
// the files are not numbered 1, 2, 3 ... with an up and a down each.
func BuiltinMigrations() (Migrations, error) {
	folder, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	return LoadMigrations(folder)
}

var migrationFile = regexp.MustCompile(`^(\d{4})_([a-z0-9_]+)\.(up|down)\.sql$`)

// LoadMigrations reads NNNN_name.up.sql and NNNN_name.down.sql from the folder;
// files that do not end in .sql are ignored.
func LoadMigrations(folder fs.FS) (Migrations, error) {
	files, err := fs.Glob(folder, "*.sql")
	if err != nil {
		return nil, err
	}
	byVersion := map[int]*Migration{}
	for _, file := range files {
		if err := addMigrationFile(byVersion, folder, file); err != nil {
			return nil, err
		}
	}
	known := make(Migrations, 0, len(byVersion))
	for _, migration := range byVersion {
		known = append(known, *migration)
	}
	slices.SortFunc(known, func(a, b Migration) int { return cmp.Compare(a.Version, b.Version) })
	return known, known.validate()
}

func addMigrationFile(byVersion map[int]*Migration, folder fs.FS, file string) error {
	parts := migrationFile.FindStringSubmatch(path.Base(file))
	if parts == nil {
		return fmt.Errorf("migration file %s is not named like 0001_name.up.sql", file)
	}
	version, _ := strconv.Atoi(parts[1]) // four digits
	content, err := fs.ReadFile(folder, file)
	if err != nil {
		return err
	}
	migration := byVersion[version]
	if migration == nil {
		migration = &Migration{Version: version, Name: parts[2]}
		byVersion[version] = migration
	}
	if migration.Name != parts[2] {
		return fmt.Errorf("migration %04d has two names, %s and %s", version, migration.Name, parts[2])
	}
	if parts[3] == "down" {
		migration.Down = string(content)
		return nil
	}
	sum := sha256.Sum256(content)
	migration.Up, migration.Checksum = string(content), hex.EncodeToString(sum[:])
	return nil
}

func (ms Migrations) validate() error {
	for i, m := range ms {
		if m.Version != i+1 {
			return fmt.Errorf("migration %04d is missing: the numbers must run 0001, 0002, 0003 ... without a gap", i+1)
		}
		if strings.TrimSpace(m.Up) == "" || strings.TrimSpace(m.Down) == "" {
			return fmt.Errorf("migration %s needs both an up and a down file", m)
		}
	}
	return nil
}
