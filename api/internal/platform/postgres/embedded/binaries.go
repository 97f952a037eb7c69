//go:build linux || darwin

package embedded

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// archiveFolder holds the packed PostgreSQL when the binary was built with one.
//
//go:embed archive
var archiveFolder embed.FS

// oldest is the first PostgreSQL release whose SQL we write.
const oldest = 15

// programs is one PostgreSQL that can be run.
type programs struct {
	bin   string // folder of initdb and postgres
	major int
}

func (p programs) path(program string) string { return filepath.Join(p.bin, program) }

// findPrograms chooses the PostgreSQL to run: one of the release that existing
// data was written by, else the packed one, else the newest installed.
func findPrograms(ctx context.Context, dir, database string, options Options) (programs, error) {
	wanted, err := dataMajor(database)
	if err != nil {
		return programs{}, err
	}
	packed, err := findArchive(options)
	if err != nil {
		return programs{}, err
	}
	if packed.fits(wanted) {
		return packed.unpack(dir, options)
	}
	installed := installedPrograms(ctx)
	for _, found := range installed {
		if wanted == 0 || found.major == wanted {
			return found, nil
		}
	}
	return programs{}, refuse(wanted, database, packed, installed)
}

// Release names the PostgreSQL that new data would be made by: the packed one's
// version, else the folder of the newest installed. It fails when there is none.
func Release(ctx context.Context, options Options) (string, error) {
	packed, err := findArchive(options)
	if err != nil || packed.major > 0 {
		return packed.version, err
	}
	if installed := installedPrograms(ctx); len(installed) > 0 {
		return fmt.Sprintf("%d in %s", installed[0].major, installed[0].bin), nil
	}
	return "", refuse(0, "", packed, nil)
}

func refuse(wanted int, database string, packed archive, installed []programs) error {
	if wanted == 0 {
		return errors.New("this Nightbell was built without its own PostgreSQL, and none (15 or later) is installed. " +
			"Install one (Debian and Ubuntu: apt-get install postgresql; macOS: brew install postgresql@17), use a release binary, or set DATABASE_URL")
	}
	var have []string
	if packed.major > 0 {
		have = append(have, strconv.Itoa(packed.major))
	}
	for _, found := range installed {
		have = append(have, strconv.Itoa(found.major))
	}
	if have == nil {
		have = []string{"none"}
	}
	return fmt.Errorf("the data in %s was written by PostgreSQL %d, and here there is: %s. Install PostgreSQL %d to use it, "+
		"or move the data with pg_dump and pg_restore of that release", database, wanted, strings.Join(slices.Compact(have), ", "), wanted)
}

// dataMajor is the release that wrote the data, or 0 when there is none yet.
func dataMajor(database string) (int, error) {
	content, err := os.ReadFile(filepath.Join(database, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the release of the data: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("%s/PG_VERSION is damaged (%q). Restore the data from a backup", database, content)
	}
	return major, nil
}

// installedPrograms are the usable releases on this machine, newest first.
func installedPrograms(ctx context.Context) []programs {
	folders := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",            // Debian, Ubuntu
		"/usr/pgsql-*/bin",                     // Red Hat
		"/usr/local/pgsql/bin",                 // built from source
		"/opt/homebrew/opt/postgresql@*/bin",   // Homebrew on Apple silicon
		"/usr/local/opt/postgresql@*/bin",      // Homebrew on Intel
		"/Applications/Postgres.app/*/*/*/bin", // Contents/Versions/<release>
	} {
		matches, _ := filepath.Glob(pattern) // the patterns are well-formed
		folders = append(folders, matches...)
	}
	var found []programs
	for _, folder := range folders {
		if major := releaseOf(ctx, folder); major >= oldest {
			found = append(found, programs{bin: folder, major: major})
		}
	}
	slices.SortStableFunc(found, func(a, b programs) int { return cmp.Compare(b.major, a.major) })
	return found
}

var releasePattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// releaseOf asks the postgres program of a folder for its major release, 0 when
// there is none or initdb is missing beside it.
func releaseOf(ctx context.Context, folder string) int {
	if !filepath.IsAbs(folder) {
		return 0
	}
	for _, program := range []string{"postgres", "initdb"} {
		if info, err := os.Stat(filepath.Join(folder, program)); err != nil || info.IsDir() {
			return 0
		}
	}
	output, err := exec.CommandContext(ctx, filepath.Join(folder, "postgres"), "--version").Output()
	parts := releasePattern.FindSubmatch(output)
	if err != nil || parts == nil {
		return 0
	}
	major, _ := strconv.Atoi(string(parts[1]))
	return major
}

// archive is a packed PostgreSQL for this system.
type archive struct {
	folder  fs.FS
	file    string
	version string // also the name of the folder it is unpacked to
	major   int    // 0 when there is no archive
}

// findArchive looks for the archive of this system; its absence is no error.
func findArchive(options Options) (archive, error) {
	folder := options.Archive
	if folder == nil {
		builtin, err := fs.Sub(archiveFolder, "archive")
		if err != nil {
			return archive{}, err
		}
		folder = builtin
	}
	name := "postgres-" + runtime.GOOS + "-" + runtime.GOARCH
	content, err := fs.ReadFile(folder, name+".version")
	if errors.Is(err, fs.ErrNotExist) {
		return archive{}, nil
	}
	if err != nil {
		return archive{}, err
	}
	version := strings.TrimSpace(string(content))
	release, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(release)
	if err != nil || !fs.ValidPath(version) || strings.Contains(version, "/") {
		return archive{}, fmt.Errorf("the packed PostgreSQL has no usable version (%q). Pack it again", version)
	}
	return archive{folder: folder, file: name + ".tar.zst", version: version, major: major}, nil
}

func (a archive) fits(wanted int) bool {
	return a.major > 0 && (wanted == 0 || wanted == a.major)
}
