package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// npmPackage is what we read of package.json.
type npmPackage struct {
	Version string   `json:"version"`
	OS      []string `json:"os"`
	CPU     []string `json:"cpu"`
}

// link is one entry of pg-symlinks.json: target is a link to source. Both are
// paths from the package's root.
type link struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// pack writes the archive of the package in source to out and says what it did.
func pack(ctx context.Context, source, out string) (summary string, err error) {
	described, err := readPackage(source)
	if err != nil {
		return "", err
	}
	name, err := described.archiveName()
	if err != nil {
		return "", err
	}
	staging, err := os.MkdirTemp("", "nightbell-pack-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(staging) //nolint:errcheck // a temporary folder
	if err := stage(source, staging); err != nil {
		return "", err
	}
	stripped := strip(ctx, staging)
	content, err := compress(staging)
	if err != nil {
		return "", err
	}
	if err := removeArchives(out); err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	version := described.Version + "-" + hex.EncodeToString(sum[:6])
	err = errors.Join(
		os.WriteFile(filepath.Join(out, name+".tar.zst"), content, 0o644),
		os.WriteFile(filepath.Join(out, name+".version"), []byte(version+"\n"), 0o644),
	)
	return fmt.Sprintf("%s.tar.zst: PostgreSQL %s, %.1f MB, %s", name, version, float64(len(content))/1e6, stripped), err
}

func readPackage(source string) (npmPackage, error) {
	var described npmPackage
	content, err := os.ReadFile(filepath.Join(source, "package.json"))
	if err != nil {
		return described, fmt.Errorf("%s is not an unpacked npm package: %w", source, err)
	}
	if err := json.Unmarshal(content, &described); err != nil {
		return described, fmt.Errorf("%s/package.json: %w", source, err)
	}
	return described, nil
}

// archiveName translates Node's names of systems into Go's.
func (p npmPackage) archiveName() (string, error) {
	if len(p.OS) != 1 || len(p.CPU) != 1 {
		return "", fmt.Errorf("the package is for %v on %v, expected one of each", p.OS, p.CPU)
	}
	arch := map[string]string{"x64": "amd64", "arm64": "arm64"}[p.CPU[0]]
	if arch == "" || (p.OS[0] != "linux" && p.OS[0] != "darwin") {
		return "", fmt.Errorf("the package is for %s on %s; Nightbell embeds PostgreSQL on linux and darwin, x64 and arm64", p.OS[0], p.CPU[0])
	}
	return "postgres-" + p.OS[0] + "-" + arch, nil
}

// unneeded matches what a server does without: files to build against, client
// libraries other than libpq, languages that need an interpreter of the system,
// and a plug-in only for PostgreSQL's own tests.
var unneeded = regexp.MustCompile(`(^|/)(include|pkgconfig|pgxs|doc|man|locale)(/|$)` +
	`|\.a$|\.h$|/lib(ecpg|ecpg_compat|pgtypes)\.` +
	`|plperl|plpython|pltcl|/test_decoding\.` +
	`|\.sample\.bak$|psqlrc\.sample$|pg_service\.conf\.sample$`)

// stage copies what is needed from source/native to staging and adds the links.
func stage(source, staging string) error {
	native := filepath.Join(source, "native")
	err := filepath.WalkDir(native, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(native, path)
		if err != nil || relative == "." || relative == "pg-symlinks.json" {
			return err
		}
		switch {
		case unneeded.MatchString(filepath.ToSlash(relative)):
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(staging, relative), 0o755)
		case !entry.Type().IsRegular():
			return nil // a link made by the package's own script; ours follow
		}
		return stageFile(path, filepath.Join(staging, relative))
	})
	if err != nil {
		return fmt.Errorf("copy the package's files: %w", err)
	}
	return stageLinks(source, staging)
}

// stageFile copies a file with one of two modes, because npm and pnpm do not
// unpack with the same ones.
func stageFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if filepath.Base(filepath.Dir(from)) == "bin" {
		mode = 0o755
	}
	return os.WriteFile(to, content, mode)
}

func stageLinks(source, staging string) error {
	content, err := os.ReadFile(filepath.Join(source, "native", "pg-symlinks.json"))
	if err != nil {
		return fmt.Errorf("the package has no list of links: %w", err)
	}
	var links []link
	if err := json.Unmarshal(content, &links); err != nil {
		return fmt.Errorf("read the package's list of links: %w", err)
	}
	for _, link := range links {
		from, inNative := strings.CutPrefix(link.Target, "native/")
		if !inNative || !filepath.IsLocal(from) || filepath.Dir(link.Source) != filepath.Dir(link.Target) {
			return fmt.Errorf("the package links %s to %s, which is not within one folder", link.Target, link.Source)
		}
		if unneeded.MatchString(from) {
			continue
		}
		if err := os.Symlink(filepath.Base(link.Source), filepath.Join(staging, from)); err != nil {
			return fmt.Errorf("recreate a link: %w", err)
		}
	}
	return nil
}

// strip removes symbols that only a debugger reads. It is a matter of size: a
// file that this system's strip cannot handle stays as it is.
func strip(ctx context.Context, staging string) string {
	tool, err := exec.LookPath("strip")
	if err != nil {
		return "not stripped (no strip on this system)"
	}
	before := treeSize(staging)
	_ = filepath.WalkDir(staging, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && isProgram(path) {
			_ = exec.CommandContext(ctx, tool, "--strip-unneeded", path).Run()
		}
		return nil
	})
	return fmt.Sprintf("%.1f MB unpacked, %.1f MB of it stripped", float64(treeSize(staging))/1e6, float64(before-treeSize(staging))/1e6)
}

func isProgram(path string) bool {
	return filepath.Base(filepath.Dir(path)) == "bin" || strings.Contains(filepath.Base(path), ".so")
}

func treeSize(root string) (size int64) {
	_ = filepath.WalkDir(root, func(_ string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return err
	})
	return size
}

func removeArchives(out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(out, "postgres-*"))
	for _, file := range old {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}
