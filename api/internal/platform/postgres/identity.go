package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

type pgconnConfig = pgconn.Config

// errOldPrimary refuses a server that takes writes although another has been promoted
// since: what is written there is lost when it becomes a standby.
var errOldPrimary = errors.New("this database server was the primary once, and another has been promoted since. " +
	"Stop it before it takes writes, and make it a standby of the new one")

// identity is which server answers, and since which promotion. Two servers with the
// same cluster were one once; the one with the higher timeline was promoted last.
type identity struct {
	cluster  string // "" when the server does not tell
	timeline uint32 // 0 when it does not tell
	writable bool
	// pooled is set when the answer came through a connection pooler.
	pooled bool
}

// identitySQL asks everything at once. The file name of the log begins with the
// timeline; pg_control_checkpoint would give that of the last checkpoint only.
const identitySQL = `SELECT current_setting('transaction_read_only'), pg_backend_pid(),
	CASE WHEN NOT pg_is_in_recovery() THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) ELSE '0' END,
	(SELECT system_identifier FROM pg_control_system())`

// identify asks a server who it is. Some managed servers tell only whether they take
// writes.
func identify(ctx context.Context, conn *pgconn.PgConn) (identity, error) {
	row, err := ask(ctx, conn, identitySQL)
	if Code(err) != "" && !IsUnavailable(err) {
		row, err = ask(ctx, conn, "SELECT current_setting('transaction_read_only'), pg_backend_pid(), '0', ''")
	}
	if err != nil {
		return identity{}, err
	}
	timeline, err := strconv.ParseUint(string(row[2]), 16, 32)
	if err != nil {
		return identity{}, fmt.Errorf("read the timeline of the database: %w", err)
	}
	return identity{
		cluster: string(row[3]), timeline: uint32(timeline), writable: string(row[0]) == "off",
		// A pooler makes up the process that its clients are told.
		pooled: string(row[1]) != strconv.FormatUint(uint64(conn.PID()), 10),
	}, nil
}

func ask(ctx context.Context, conn *pgconn.PgConn, sql string) ([][]byte, error) {
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	return results[len(results)-1].Rows[0], nil
}

// fence is the last promotion that was heard of. Connections to a server from before
// it are refused.
type fence struct {
	mu   sync.Mutex
	last identity
}

// admit notes a primary, and refuses one that another has followed. A server of another
// cluster, as after an upgrade, begins again.
func (f *fence) admit(seen identity) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seen.cluster == f.last.cluster && seen.timeline < f.last.timeline {
		return errOldPrimary
	}
	f.last = seen
	return nil
}

// guard lets a configuration connect to primaries only, and not to an old one.
func (db *DB) guard(config *pgconnConfig) {
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		seen, err := identify(ctx, conn)
		switch {
		case err != nil:
			return err
		case !seen.writable:
			return errors.New("this database server is a standby")
		}
		if seen.pooled && !db.pooler.Swap(true) {
			return errPoolerFound
		}
		return db.fence.admit(seen)
	}
}

// host is one server that DATABASE_URL names.
type host struct {
	address string
	ways    []*pgconn.FallbackConfig // with and without TLS, as sslmode says
}

// hostsOf lists the servers of a connection string in its order.
func hostsOf(config *pgx.ConnConfig) (hosts []*host) {
	ways := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	for _, way := range ways {
		address := net.JoinHostPort(way.Host, strconv.Itoa(int(way.Port)))
		if strings.HasPrefix(way.Host, "/") {
			address = way.Host + ":" + strconv.Itoa(int(way.Port))
		}
		at := slices.IndexFunc(hosts, func(h *host) bool { return h.address == address })
		if at < 0 {
			at, hosts = len(hosts), append(hosts, &host{address: address})
		}
		hosts[at].ways = append(hosts[at].ways, way)
	}
	return hosts
}

// tryFirst moves the host to the front of a configuration. A nil host moves nothing.
func (h *host) tryFirst(config *pgconnConfig) {
	if h == nil {
		return
	}
	others := append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	others = slices.DeleteFunc(others, func(way *pgconn.FallbackConfig) bool {
		return slices.ContainsFunc(h.ways, func(own *pgconn.FallbackConfig) bool { return own.Host == way.Host && own.Port == way.Port })
	})
	h.only(config)
	config.Fallbacks = append(config.Fallbacks, others...)
}

// only leaves the host alone in a configuration.
func (h *host) only(config *pgconnConfig) {
	first := h.ways[0]
	config.Host, config.Port, config.TLSConfig = first.Host, first.Port, first.TLSConfig
	config.Fallbacks = slices.Clone(h.ways[1:])
}
