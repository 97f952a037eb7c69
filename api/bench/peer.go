package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// What the server is compared with, over the same HTTP handler and parser.
const (
	peerDecode = "decode" // stores nothing
	peerAlone  = "alone"  // one transaction for each request, of our own path
)

// aloneConns are the connections of the one-transaction variant. With these, those of
// the plain inserts and those of the server, the private PostgreSQL has just enough.
const aloneConns = 16

// peerCommand serves one of them until it is told to stop, as a process of its own.
type peerCommand struct {
	Kind string `arg:""`
	DSN  string `arg:"" optional:""`
}

// Run prints the address, then serves.
func (c peerCommand) Run(ctx context.Context) error {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	keys, accept := ingest.Keys(anyKey{}), ingest.Acceptor(nothing{})
	if c.Kind == peerAlone {
		db, err := postgres.Open(ctx, postgres.Config{DSN: c.DSN, ApplicationName: "bench", Conns: map[postgres.Pool]int32{postgres.Ingest: aloneConns}})
		if err != nil {
			return err
		}
		defer db.Close()
		signals := paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}}
		keys, accept = ingest.NewCachedKeys(finder{db}.find, time.Now), alone{intake.NewIntake(db, logger, signals)}
	}
	mux := http.NewServeMux()
	ingest.NewHandler(keys, accept, rpcserver.WriteError, logger).Register(mux)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// anyKey takes every key for one service's.
type anyKey struct{}

func (anyKey) Find(context.Context, string) (ingest.Route, error) { return ingest.Route{}, nil }

// nothing accepts and forgets.
type nothing struct{}

func (nothing) Accept(context.Context, ingest.Route, alert.Batch) error { return nil }

func (nothing) AcceptUndecodable(context.Context, ingest.Route, string, string, []byte) error {
	return nil
}

// alone commits each request by itself.
type alone struct{ intake *intake.Intake }

func (a alone) Accept(ctx context.Context, r ingest.Route, batch alert.Batch) error {
	return a.intake.AcceptAlone(ctx, r, batch)
}

func (a alone) AcceptUndecodable(ctx context.Context, r ingest.Route, sender, reason string, body []byte) error {
	return a.intake.AcceptUndecodable(ctx, r, sender, reason, body)
}

// finder looks keys up as the server does.
type finder struct{ db *postgres.DB }

func (f finder) find(ctx context.Context, hash ingest.KeyHash) (route ingest.Route, err error) {
	err = f.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		row, err := catalogdb.New(tx).FindRoute(ctx, hash[:])
		if err != nil {
			return err
		}
		route = ingest.Route{OrgID: row.OrgID, ServiceID: row.ServiceID, ServiceName: row.Name, Grouping: catalog.Grouping(row.Grouping)}
		if row.PolicyID != nil {
			route.PolicyID = *row.PolicyID
		}
		return nil
	})
	return route, err
}

// peer is such a process under way.
type peer struct {
	cmd *exec.Cmd
	url string
}

func startPeer(ctx context.Context, arguments ...string) (*peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &peer{cmd: exec.CommandContext(ctx, self, append([]string{"peer"}, arguments...)...)}
	p.cmd.Stderr = os.Stderr
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	p.url = "http://" + strings.TrimSpace(address)
	return p, nil
}

func (p *peer) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	return p.cmd.Wait()
}
