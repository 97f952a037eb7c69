//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// account is who the server runs as.
type account struct {
	uid, gid uint32
	name     string
	// other is set when that is not the account of this process.
	other bool
}

// chooseAccount picks the account of the server. PostgreSQL refuses root, so as
// root it is the owner of existing data, else a less powerful account.
func chooseAccount(ctx context.Context, database string, options Options) (account, error) {
	self := account{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
	self.name = accountName(self.uid)
	if self.uid != 0 {
		return self, nil
	}
	if info, err := os.Stat(database); err == nil {
		owner := ownerOf(info)
		if owner.uid != 0 {
			return owner, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return account{}, err
	}
	if _, err := user.Lookup(ownAccount); err != nil && options.OwnAccount {
		if err := makeAccount(ctx, runCommand); err != nil {
			options.logger().WarnContext(ctx, "the private PostgreSQL has no account of its own; make one: useradd --system "+ownAccount, "error", err)
		}
	}
	for _, name := range []string{ownAccount, "postgres", "nobody"} {
		if found, err := user.Lookup(name); err == nil {
			return parseAccount(found)
		}
	}
	return account{}, errors.New("PostgreSQL does not run as root, and there is no account named nightbell, postgres or nobody. " +
		"Make one (useradd --system nightbell), start Nightbell as an ordinary user, or set DATABASE_URL")
}

// ownAccount is the server's alone: other services run as postgres and nobody.
const ownAccount = "nightbell"

// makeAccount makes it with the program of this system: useradd, or adduser of BusyBox. It can
// log in nowhere.
func makeAccount(ctx context.Context, run func(ctx context.Context, name string, args ...string) error) error {
	err := run(ctx, "useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", ownAccount)
	if err == nil {
		return nil
	}
	if second := run(ctx, "adduser", "-S", "-D", "-H", "-s", "/sbin/nologin", ownAccount); second != nil {
		return errors.Join(err, second)
	}
	return nil
}

func runCommand(ctx context.Context, name string, args ...string) error {
	output, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(string(output)))
	}
	return nil
}

func parseAccount(found *user.User) (account, error) {
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("account %s: %w", found.Username, err)
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("account %s: %w", found.Username, err)
	}
	return account{uid: uint32(uid), gid: uint32(gid), name: found.Username, other: true}, nil
}

func ownerOf(info fs.FileInfo) account {
	stat := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // what it is on these systems
	return account{uid: stat.Uid, gid: stat.Gid, name: accountName(stat.Uid), other: stat.Uid != uint32(os.Geteuid())}
}

func accountName(uid uint32) string {
	found, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return ""
	}
	return found.Username
}

func (a account) String() string {
	if a.name == "" {
		return fmt.Sprintf("uid %d", a.uid)
	}
	return fmt.Sprintf("%s (uid %d)", a.name, a.uid)
}

// checkReach makes sure that the account can enter dir and everything above it.
// Only another account than ours can fail to.
func (a account) checkReach(dir string) error {
	if !a.other {
		return nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if !a.mayEnter(info) {
			return fmt.Errorf("the private PostgreSQL runs as %s, which cannot enter %s. "+
				"Choose another directory with --data-dir (root's default is /var/lib/nightbell), or run: chmod o+x %s", a, at, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

func (a account) mayEnter(info fs.FileInfo) bool {
	owner, mode := ownerOf(info), info.Mode().Perm()
	switch {
	case owner.uid == a.uid:
		return mode&0o100 != 0
	case owner.gid == a.gid:
		return mode&0o010 != 0
	}
	return mode&0o001 != 0
}

// own gives a file or folder to the account.
func (a account) own(path string) error {
	if !a.other {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

// makeDir makes a folder that only the account can enter, or takes the existing
// one, unless it belongs to somebody else.
func (a account) makeDir(path string) error {
	if err := os.Mkdir(path, 0o700); err == nil {
		return a.own(path)
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() || ownerOf(info).uid != a.uid {
		return fmt.Errorf("%s does not belong to %s. Remove it, or choose another directory with --data-dir", path, a)
	}
	return os.Chmod(path, 0o700)
}
