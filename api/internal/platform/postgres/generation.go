package postgres

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
)

// errReplaced is what a connection sees whose pools were replaced.
var errReplaced = errors.New("this connection went to a database server that is not the primary any more")

// generation is one set of pools. A failover replaces the whole set, because a pool
// whose connections lead to a server that hangs cannot be repaired: each of its places
// stays taken until the network gives up.
type generation struct {
	pools   map[Pool]*pgxpool.Pool
	sockets *sockets
}

// openGeneration prepares the pools without connecting. The host that is preferred, if
// any, is tried first by every connection.
func (db *DB) openGeneration(ctx context.Context, preferred *host) (*generation, error) {
	g := &generation{pools: make(map[Pool]*pgxpool.Pool, len(pools)), sockets: &sockets{}}
	for name := range pools {
		pool, err := openPool(ctx, db.config, name, func(pool *pgxpool.Config) {
			preferred.tryFirst(&pool.ConnConfig.Config)
			pool.BeforeConnect = db.fitPooler
			db.guard(&pool.ConnConfig.Config)
			g.sockets.watch(&pool.ConnConfig.Config)
		})
		if err != nil {
			g.close()
			return nil, err
		}
		g.pools[name] = pool
	}
	return g, nil
}

// close waits for connections in use to be given back and closes all of them.
func (g *generation) close() {
	for _, pool := range g.pools {
		pool.Close()
	}
}

// abandon breaks every connection at once, also those that wait for an answer, whose
// callers are told that the database is unavailable. The rest is cleared up in the
// background.
func (g *generation) abandon() {
	g.sockets.cut()
	go g.close()
}

// sockets are the open network connections of a generation.
type sockets struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
	over bool
}

// watch has every connection that the configuration makes kept here while it is open.
func (s *sockets) watch(config *pgconnConfig) {
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if s.isOver() { // a request to cancel what runs on a server that hangs would hang too
			return nil, errReplaced
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return s.keep(conn)
	}
}

func (s *sockets) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

func (s *sockets) keep(conn net.Conn) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, errors.Join(errReplaced, conn.Close())
	}
	if s.open == nil {
		s.open = map[net.Conn]struct{}{}
	}
	s.open[conn] = struct{}{}
	return &socket{Conn: conn, of: s}, nil
}

// cut closes all of them, and those that are still being made.
func (s *sockets) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for conn := range s.open {
		_ = conn.Close()
	}
	s.open = nil
}

// socket is one of them.
type socket struct {
	net.Conn

	of *sockets
}

// Close closes the connection, once.
func (s *socket) Close() error {
	s.of.mu.Lock()
	delete(s.of.open, s.Conn)
	s.of.mu.Unlock()
	return s.Conn.Close()
}
