package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authrpc"
	"github.com/nightbell/nightbell/api/internal/demo"
)

// checkDemo refuses a demo workspace that anybody could sign in to, before anything starts.
func (s *server) checkDemo() error {
	if s.options.Demo && !s.loopback() && os.Getenv(demoPasswordVariable) == "" {
		return fmt.Errorf("--demo listens beyond this machine (%s), where anybody could sign in. Set %s to a password of your own, or listen on 127.0.0.1",
			s.Listen, demoPasswordVariable)
	}
	return nil
}

// seed fills the demo workspace at the first start with --demo.
func (s *server) seed(ctx context.Context) error {
	if !s.options.Demo {
		return nil
	}
	password, err := demoPassword(s.DataDir)
	if err != nil {
		return err
	}
	workspace, err := s.demoWorkspace()
	if err != nil {
		return err
	}
	_, _, err = workspace.Seed(ctx, password)
	return err
}

// demoGuest is who looks around the demo workspace without a password: anybody who reaches it on this
// machine, and beyond it only where the operator said so. It is nil where nobody may.
func (s *server) demoGuest() *authrpc.Guest {
	if !s.options.Demo || (!s.loopback() && !s.DemoGuest) {
		return nil
	}
	return &authrpc.Guest{UserID: demo.GuestID(), OrgID: demo.OrgID()}
}

func (s *server) demoWorkspace() (demo.Workspace, error) {
	hasher, err := s.passwordHasher()
	return demo.Workspace{DB: s.db, Box: s.box, Hasher: hasher}, err
}

const demoPasswordVariable = "NIGHTBELL_DEMO_PASSWORD"

// demoPassword is the operator's own, or a random one that is kept with the data, so
// that it is the same at every start.
func demoPassword(dataDir string) (string, error) {
	if password := os.Getenv(demoPasswordVariable); password != "" {
		if err := auth.CheckPassword(password, "demo", "nightbell"); err != nil {
			return "", fmt.Errorf("%s: %w", demoPasswordVariable, err)
		}
		return password, nil
	}
	path := filepath.Join(dataDir, "demo-password")
	kept, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(kept)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	password := strings.ToLower(rand.Text())
	return password, os.WriteFile(path, []byte(password+"\n"), 0o600)
}

// ResetDemo makes the demo workspace again, as if started for the first time now.
func ResetDemo(ctx context.Context, config Config, options Options) (err error) {
	s, err := prepare(ctx, config, options)
	defer func() { err = errors.Join(err, s.stop()) }()
	if err != nil {
		return err
	}
	password, err := demoPassword(s.DataDir)
	if err != nil {
		return err
	}
	workspace, err := s.demoWorkspace()
	if err != nil {
		return err
	}
	account, err := workspace.Reset(ctx, password)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(options.Out, "The demo workspace was made again. Sign in as %s with %s\n", account.Email, password)
	return err
}
