package postgres

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

//go:embed migrations
var migrationFiles embed.FS

// Migration is one numbered step of the schema and the way back.
type Migration struct {
	Version int
	// Name is the file's name without its ending, as in "0001_schema".
	Name     string
	Up, Down string
	// OldestProgram is the lowest number a program's newest migration may have for the
	// program to run on the schema after this migration.
	OldestProgram int
	// Checksum is the SHA-256 of Up in hexadecimal.
	Checksum string
}

// Migrations are all steps that this program knows, in order.
type Migrations []Migration

// BuiltinMigrations returns the migrations inside the binary. It fails only when
// the files are not as LoadMigrations expects them.
func BuiltinMigrations() (Migrations, error) {
	folder, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	return LoadMigrations(folder)
}

var oldestProgram = regexp.MustCompile(`^-- oldest-program: (\d+)\n`)

// LoadMigrations reads NNNN_name.up.sql and NNNN_name.down.sql from the folder. The
// numbers run 0001, 0002, 0003 ... without a gap, and an up file says in its first line
// which programs it still serves, as in "-- oldest-program: 1".
func LoadMigrations(folder fs.FS) (Migrations, error) {
	files, err := fs.Glob(folder, "*.up.sql") // sorted
	if err != nil {
		return nil, err
	}
	var known Migrations
	for i, file := range files {
		m := Migration{Version: i + 1, Name: strings.TrimSuffix(file, ".up.sql")}
		if !strings.HasPrefix(m.Name, fmt.Sprintf("%04d_", m.Version)) {
			return nil, fmt.Errorf("migration %04d is missing, or has two files: %s comes next", m.Version, file)
		}
		up, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		down, err := fs.ReadFile(folder, m.Name+".down.sql")
		if err != nil {
			return nil, fmt.Errorf("migration %s needs both an up and a down file: %w", m.Name, err)
		}
		serves := oldestProgram.FindSubmatch(up)
		if serves == nil {
			return nil, fmt.Errorf(`the first line of %s does not say which programs it still serves, as in "-- oldest-program: 1"`, file)
		}
		m.OldestProgram, err = strconv.Atoi(string(serves[1]))
		if err != nil || m.OldestProgram < 1 || m.OldestProgram > m.Version {
			return nil, fmt.Errorf("%s names %s as its oldest program; expected a number between 1 and its own", file, serves[1])
		}
		sum := sha256.Sum256(up)
		m.Up, m.Down, m.Checksum = string(up), string(down), hex.EncodeToString(sum[:])
		known = append(known, m)
	}
	return known, nil
}
