package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// fakePackage has one file of each kind that the real package has.
func fakePackage(t *testing.T, mode os.FileMode) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"package.json":                                     `{"version":"17.1.0-beta.1","os":["linux"],"cpu":["x64"]}`,
		"native/pg-symlinks.json":                          `[{"source":"native/lib/libpq.so.5.17","target":"native/lib/libpq.so.5"},{"source":"native/lib/libecpg.so.6.17","target":"native/lib/libecpg.so.6"}]`,
		"native/bin/postgres":                              "program",
		"native/lib/libpq.so.5.17":                         "library",
		"native/lib/libecpg.so.6.17":                       "for C programs",
		"native/lib/libpgport.a":                           "static",
		"native/lib/pkgconfig/libpq.pc":                    "build",
		"native/lib/postgresql/pg_trgm.so":                 "extension",
		"native/lib/postgresql/plperl.so":                  "needs perl",
		"native/share/postgresql/extension/plperl.control": "needs perl",
		"native/share/postgresql/timezone/UTC":             "zone",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPackKeepsWhatAServerNeeds(t *testing.T) {
	out := t.TempDir()
	other := filepath.Join(out, "postgres-darwin-arm64.tar.zst")
	if err := os.WriteFile(other, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	summary, err := pack(t.Context(), fakePackage(t, 0o644), out)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(summary, "postgres-linux-amd64.tar.zst") {
		t.Errorf("the summary says: %s", summary)
	}
	if _, err := os.Stat(other); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("another system's archive would travel along: %v", err)
	}
	want := []string{
		"bin/ 755", "bin/postgres 755", "lib/ 755", "lib/libpq.so.5 -> libpq.so.5.17", "lib/libpq.so.5.17 644",
		"lib/postgresql/ 755", "lib/postgresql/pg_trgm.so 644", "share/ 755", "share/postgresql/ 755",
		"share/postgresql/extension/ 755", "share/postgresql/timezone/ 755", "share/postgresql/timezone/UTC 644",
	}
	if got := list(t, filepath.Join(out, "postgres-linux-amd64.tar.zst")); !slices.Equal(got, want) {
		t.Errorf("the archive has\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func list(t *testing.T, archive string) (entries []string) {
	t.Helper()
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := zstd.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	for files := tar.NewReader(decoder); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.IsZero() && header.ModTime.Unix() != 0 || header.Uid != 0 {
			t.Errorf("%s has a time or an owner", header.Name)
		}
		switch header.Typeflag {
		case tar.TypeSymlink:
			entries = append(entries, header.Name+" -> "+header.Linkname)
		case tar.TypeDir:
			entries = append(entries, fmt.Sprintf("%s/ %o", strings.TrimSuffix(header.Name, "/"), header.Mode))
		default:
			entries = append(entries, fmt.Sprintf("%s %o", header.Name, header.Mode))
		}
	}
}

// npm and pnpm unpack with different modes; the archive must not show it.
func TestSamePackageGivesTheSameBytes(t *testing.T) {
	var versions []string
	for _, mode := range []os.FileMode{0o644, 0o755} {
		out := t.TempDir()
		if _, err := pack(t.Context(), fakePackage(t, mode), out); err != nil {
			t.Fatal(err)
		}
		version, err := os.ReadFile(filepath.Join(out, "postgres-linux-amd64.version"))
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, string(version))
	}
	if versions[0] != versions[1] || !strings.HasPrefix(versions[0], "17.1.0-beta.1-") {
		t.Errorf("versions: %q", versions)
	}
}

func TestPackRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, test := range map[string]struct{ file, content, says string }{
		"no package":      {"package.json", "", "package.json"},
		"another system":  {"package.json", `{"version":"17.1.0","os":["win32"],"cpu":["x64"]}`, "linux and darwin"},
		"no system":       {"package.json", `{"version":"17.1.0"}`, "expected one of each"},
		"link to outside": {"native/pg-symlinks.json", `[{"source":"native/lib/a","target":"native/../../a"}]`, "not within one folder"},
		"link elsewhere":  {"native/pg-symlinks.json", `[{"source":"native/bin/a","target":"native/lib/a"}]`, "not within one folder"},
	} {
		source := fakePackage(t, 0o644)
		if err := os.WriteFile(filepath.Join(source, test.file), []byte(test.content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := pack(t.Context(), source, t.TempDir()); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
