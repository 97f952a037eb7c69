//go:build linux || darwin

package embedded

import (
	"archive/tar"
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestAccountMustReachTheDirectory(t *testing.T) {
	stranger := account{uid: 54321, gid: 54321, name: "stranger", other: true}
	root, err := os.MkdirTemp("", "nb-reach-") //nolint:usetesting // its parents are open, unlike those of t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	data := filepath.Join(root, "data")
	if err := os.Mkdir(data, 0o711); err != nil {
		t.Fatal(err)
	}
	err = stranger.checkReach(data) // MkdirTemp made root 0700
	if err == nil || !strings.Contains(err.Error(), "stranger (uid 54321), which cannot enter "+root) || !strings.Contains(err.Error(), "chmod o+x "+root) {
		t.Errorf("a closed parent gives: %v", err)
	}
	if err := os.Chmod(root, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := stranger.checkReach(data); err != nil {
		t.Errorf("with the parent open: %v", err)
	}
	ourselves := account{uid: uint32(os.Getuid())}
	if err := ourselves.checkReach("/nonexistent"); err != nil {
		t.Errorf("our own account needs no check: %v", err)
	}
}

func TestSocketFolderOfSomebodyElseIsRefused(t *testing.T) {
	dir := t.TempDir()
	stranger := account{uid: 54321, name: "stranger"}
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := makeSocketDir(dir, stranger); err == nil || !strings.Contains(err.Error(), "does not belong to stranger") {
		t.Errorf("a folder of ours for a stranger's socket: %v", err)
	}
	link := filepath.Join(t.TempDir(), "run")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := (account{uid: uint32(os.Getuid())}).makeDir(link); err == nil {
		t.Error("a link in the folder's place was followed")
	}
}

// packed is a zstd-compressed tar of the headers.
func packed(t *testing.T, headers ...*tar.Header) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	encoder, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewWriter(encoder)
	for _, header := range headers {
		if err := files.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := encoder.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

func TestExtractStaysInItsFolder(t *testing.T) {
	for name, header := range map[string]*tar.Header{
		"parent":        {Name: "../evil", Typeflag: tar.TypeReg, Mode: 0o644},
		"absolute":      {Name: "/evil", Typeflag: tar.TypeReg, Mode: 0o644},
		"link to there": {Name: "link", Typeflag: tar.TypeSymlink, Linkname: "../../etc/passwd"},
		"device":        {Name: "null", Typeflag: tar.TypeChar},
	} {
		if err := extract(packed(t, header), t.TempDir()); err == nil {
			t.Errorf("%s was unpacked", name)
		}
	}
	if err := extract(strings.NewReader("no archive"), t.TempDir()); err == nil {
		t.Error("rubbish was unpacked")
	}
}

func TestInterruptedUnpackingIsNotTaken(t *testing.T) {
	programsDir := t.TempDir()
	whole := packed(t, &tar.Header{Name: "bin", Typeflag: tar.TypeDir, Mode: 0o755})
	broken := os.DirFS(t.TempDir())
	a := archive{folder: broken, file: "absent.tar.zst", version: "17.1-x", major: 17}
	if _, err := a.unpack("", Options{ProgramsDir: programsDir}); err == nil {
		t.Fatal("an archive that is not there was unpacked")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "whole.tar.zst"), whole.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	a.folder, a.file = os.DirFS(folder), "whole.tar.zst"
	found, err := a.unpack("", Options{ProgramsDir: programsDir})
	if err != nil || !isDir(found.bin) {
		t.Errorf("after a failed attempt: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(programsDir, ".partial-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	for _, test := range []struct {
		wanted    int
		packed    archive
		installed []programs
		says      []string
	}{
		{0, archive{}, nil, []string{"Install one", "release binary", "DATABASE_URL"}},
		{15, archive{major: 17}, []programs{{major: 16}}, []string{"written by PostgreSQL 15", "there is: 17, 16", "Install PostgreSQL 15", "pg_dump"}},
		{15, archive{}, nil, []string{"there is: none"}},
	} {
		got := refuse(test.wanted, "/data/database", test.packed, test.installed).Error()
		for _, part := range test.says {
			if !strings.Contains(got, part) {
				t.Errorf("%q does not say %q", got, part)
			}
		}
	}
}

func TestServerLogIsPassedOnByLine(t *testing.T) {
	var out bytes.Buffer
	log := &serverLog{ctx: t.Context(), logger: slog.New(slog.NewTextHandler(&out, nil))}
	for _, part := range []string{"LOG:  routine\nFATAL:  can", "not start\n\nPANIC:  disk full\n"} {
		if _, err := log.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); strings.Contains(got, "routine") || !strings.Contains(got, "level=WARN") || !strings.Contains(got, "level=ERROR") {
		t.Errorf("the log has: %s", got)
	}
	if got, want := log.tail(), "LOG:  routine / FATAL:  cannot start / PANIC:  disk full"; got != want {
		t.Errorf("the end of the log is %q, expected %q", got, want)
	}
}
