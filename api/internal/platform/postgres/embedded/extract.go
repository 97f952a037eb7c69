//go:build linux || darwin

package embedded

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/klauspost/compress/zstd"
)

// unpack puts the programs below their folder, once per version, and returns
// them. Whoever finds the folder finds it complete: it appears by a rename.
func (a archive) unpack(dir string, options Options) (programs, error) {
	root := options.ProgramsDir
	if root == "" {
		root = filepath.Join(dir, "postgres")
	}
	target := filepath.Join(root, a.version)
	unpacked := programs{bin: filepath.Join(target, "bin"), major: a.major}
	if isDir(target) {
		return unpacked, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return programs{}, fmt.Errorf("make the folder for PostgreSQL's programs: %w", err)
	}
	unlock, err := lockFolder(root)
	if err != nil {
		return programs{}, err
	}
	defer unlock()
	if isDir(target) { // unpacked by another process while we waited
		return unpacked, nil
	}
	if options.ProgramsDir == "" {
		removeOtherVersions(root) // nobody else uses this folder
	}
	return unpacked, a.unpackTo(root, target)
}

func (a archive) unpackTo(root, target string) error {
	partial, err := os.MkdirTemp(root, ".partial-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(partial) //nolint:errcheck // the next unpack removes it
	// The server's account has to read the programs, and must not change them.
	if err := os.Chmod(partial, 0o755); err != nil {
		return err
	}
	file, err := a.folder.Open(a.file)
	if err != nil {
		return fmt.Errorf("open the packed PostgreSQL: %w", err)
	}
	defer file.Close()
	if err := extract(file, partial); err != nil {
		return fmt.Errorf("unpack PostgreSQL to %s: %w", target, err)
	}
	// After a power cut the renamed folder must not have empty files in it.
	syscall.Sync()
	return os.Rename(partial, target)
}

// extract writes the files of a zstd-compressed tar below dir and refuses names
// that lead out of it.
func extract(compressed io.Reader, dir string) error {
	decoder, err := zstd.NewReader(compressed)
	if err != nil {
		return err
	}
	defer decoder.Close()
	for files := tar.NewReader(decoder); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(header.Name) {
			return fmt.Errorf("the archive has a file outside of its folder: %q", header.Name)
		}
		if err := extractOne(files, header, filepath.Join(dir, header.Name)); err != nil {
			return err
		}
	}
}

func extractOne(content io.Reader, header *tar.Header, path string) error {
	switch header.Typeflag {
	case tar.TypeDir:
		return os.MkdirAll(path, 0o755)
	case tar.TypeSymlink:
		if strings.Contains(header.Linkname, "/") {
			return fmt.Errorf("the archive has a link to another folder: %q", header.Name)
		}
		return os.Symlink(header.Linkname, path)
	case tar.TypeReg:
		return writeFile(path, content, header.FileInfo().Mode().Perm())
	}
	return fmt.Errorf("the archive has something that is no file: %q", header.Name)
}

func writeFile(path string, content io.Reader, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	// The process's umask may have taken rights that the server needs.
	return errors.Join(err, file.Chmod(mode), file.Close())
}

// removeOtherVersions forgets programs of earlier releases and interrupted
// unpackings. What cannot be removed only takes space.
func removeOtherVersions(root string) {
	entries, _ := os.ReadDir(root)
	for _, entry := range entries {
		if entry.IsDir() {
			_ = os.RemoveAll(filepath.Join(root, entry.Name()))
		}
	}
}

// lockFolder waits until no other process unpacks into the folder.
func lockFolder(root string) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(root, ".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
