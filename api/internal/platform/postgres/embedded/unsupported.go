//go:build !linux && !darwin

package embedded

import (
	"context"
	"errors"
)

// Server is a running private PostgreSQL; there is none on this system.
type Server struct{}

var errUnsupported = errors.New("the private PostgreSQL needs Linux or macOS. Set DATABASE_URL to use a server of your own")

// Start refuses: the private server needs Linux or macOS.
func Start(context.Context, Options) (*Server, error) { return nil, errUnsupported }

// Release refuses like Start.
func Release(context.Context, Options) (string, error) { return "", errUnsupported }

// DSN is empty.
func (*Server) DSN() string { return "" }

// AdminDSN is empty.
func (*Server) AdminDSN() string { return "" }

// Done is nil: it never reports anything.
func (*Server) Done() <-chan struct{} { return nil }

// Stop does nothing.
func (*Server) Stop(context.Context) error { return nil }

// Place fails here.
func Place(string) (address, inode string, err error) { return "", "", errUnsupported }

// RunningDSN is empty.
func RunningDSN(string) string { return "" }
