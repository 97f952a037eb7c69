//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// world is one scenario: programs, tenants, providers and the journals between them.
type world struct {
	t         *testing.T
	seed      uint64
	nodes     []*node
	tenants   []*tenant
	providers *providers
	answers   *journal[answered]
	acks      *journal[acknowledgement]
	// dsn reaches the database; postgres is the server when it is not a node's own.
	dsn      string
	postgres *embedded.Server
	pgDir    string
	// crashes are the moments at which a program ended or froze, the database went away or its
	// clock was set: a page whose send such a moment hit may be sent once more.
	crashes *journal[crash]
	// unrecorded counts what excuses a message without a record: sweeps do not wait for the
	// standby, so the last claims before a failover may be on the old primary only.
	unrecorded atomic.Int64
	more       atomic.Int64 // incidents beside those that the scenario is about
	base       struct{ goroutines, descriptors int }
}

// crashed notes that the database went away, was replaced or had its clock set just now.
func (w *world) crashed() { w.crashes.add(crash{At: elapsed(), What: databaseLost}) }

// killed notes that a program ended just now, froze that its time stands still.
func (w *world) killed(n *node) {
	w.crashes.add(crash{At: elapsed(), What: programKilled, Process: n.pid()})
}

func (w *world) froze(n *node) {
	w.crashes.add(crash{At: elapsed(), What: programFrozen, Process: n.pid()})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if err := os.RemoveAll(outDir(t)); err != nil { // what the last run left
		t.Fatal(err)
	}
	w := &world{
		t: t, seed: rand.Uint64() >> 16, providers: newProviders(t),
		answers: newJournal[answered](t, "answers"), acks: newJournal[acknowledgement](t, "acks"),
		crashes: newJournal[crash](t, "crashes"),
	}
	if text := os.Getenv("NIGHTBELL_CHAOS_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("NIGHTBELL_CHAOS_SEED: %v", err)
		}
		w.seed = seed
	}
	t.Logf("seed: NIGHTBELL_CHAOS_SEED=%d", w.seed)
	return w
}

// random gives the scenario's randomness; each purpose has its own, so that one does
// not depend on how another is scheduled.
func (w *world) random(purpose int) *rand.Rand { return rand.New(rand.NewPCG(w.seed, uint64(purpose))) }

// alone starts one program with its private PostgreSQL.
func alone(t *testing.T, settings ...string) *world {
	t.Helper()
	w := newWorld(t)
	n := newNode(t, "nightbell", settings...)
	n.start()
	w.nodes, w.dsn = []*node{n}, n.dsn()
	return w
}

// together starts replicas over one PostgreSQL that the test process runs.
func together(t *testing.T, replicas int, settings ...string) *world {
	t.Helper()
	w := newWorld(t)
	w.pgDir = emptyDir(t)
	w.startPostgres()
	t.Cleanup(func() { w.stopPostgres() })
	w.dsn = w.postgres.DSN()
	w.serve(replicas, settings...)
	return w
}

// serve starts replicas over the database of the world.
func (w *world) serve(replicas int, settings ...string) {
	w.t.Helper()
	settings = append([]string{
		"DATABASE_URL=" + w.dsn,
		"NIGHTBELL_JWT_SECRET=" + fmt.Sprintf("%064x", 7), "NIGHTBELL_DATA_KEY=" + fmt.Sprintf("%064x", 8),
	}, settings...)
	for i := range replicas {
		n := newNode(w.t, fmt.Sprintf("nightbell-%d", i+1), settings...)
		n.start()
		w.nodes = append(w.nodes, n)
	}
}

func (w *world) startPostgres() {
	w.t.Helper()
	var err error
	log, err := os.OpenFile(outDir(w.t)+"/postgres.log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		w.t.Fatal(err)
	}
	w.postgres, err = embedded.Start(context.Background(), embedded.Options{DataDir: w.pgDir, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		w.t.Fatalf("start PostgreSQL: %v", err)
	}
}

func (w *world) stopPostgres() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = w.postgres.Stop(ctx) // already stopped is as good
}

// clock takes the database's clock in hand.
func (w *world) clock() *pgtest.Clock {
	w.t.Helper()
	return pgtest.TakeClock(w.t, w.dsn)
}

// ready notes what an idle program holds, to see later what leaked.
func (w *world) ready() {
	w.t.Helper()
	w.base.goroutines, w.base.descriptors = int(w.nodes[0].metric("go_goroutines")), w.nodes[0].descriptors()
}

// connect opens a connection that sees every organization.
func (w *world) connect() (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, w.dsn)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "SET ROLE nightbell_system"); err != nil {
		conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}

// rows reads what a query yields, as T.
func rows[T any](w *world, to pgx.RowToFunc[T], sql string, args ...any) []T {
	w.t.Helper()
	conn, err := w.connect()
	if err != nil {
		w.t.Fatalf("read the database: %v", err)
	}
	defer conn.Close(context.Background())
	result, err := conn.Query(context.Background(), sql, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	list, err := pgx.CollectRows(result, to)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return list
}

// count reads one number.
func (w *world) count(sql string, args ...any) int {
	w.t.Helper()
	return rows(w, pgx.RowTo[int], sql, args...)[0]
}

// await waits until a look succeeds; otherwise it fails the test with what the last
// look said. The limit is there to end broken runs.
func (w *world) await(what string, limit time.Duration, look func() error) time.Duration {
	w.t.Helper()
	began := time.Now()
	var err error
	for time.Since(began) < limit {
		if err = look(); err == nil {
			return time.Since(began)
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.t.Fatalf("%s, after %s: %v", what, limit, err)
	return 0
}

// awaitQuiet waits until nothing is due and nothing is being sent.
func (w *world) awaitQuiet(limit time.Duration) time.Duration {
	w.t.Helper()
	return w.await("the outbox is empty", limit, func() error {
		if n := w.count(`SELECT count(*) FROM notification WHERE state IN ('pending', 'sending')`); n > 0 {
			return fmt.Errorf("%d pages wait", n)
		}
		return nil
	})
}

// post sends one alert once, to one program, and notes the answer.
func (w *world) post(n *node, o *tenant, key string, body []byte) (status int) {
	at := elapsed()
	note := answered{At: at, Tenant: o.name, Key: key}
	response, err := client.Post(n.url+"/v1/webhooks/prometheus/"+o.key, "application/json", bytes.NewReader(body))
	if err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		note.Status, note.RetryAfter = response.StatusCode, response.Header.Get("Retry-After") != ""
	}
	note.Took = elapsed() - at
	w.answers.add(note)
	return note.Status
}

// insist sends one alert until it is answered for good, as senders do: again after a
// broken connection and after a 5xx, to the next program.
func (w *world) insist(first int, o *tenant, key string, body []byte) (status int) {
	for try := first; ; try++ {
		status = w.post(w.nodes[try%len(w.nodes)], o, key, body)
		if status != 0 && status/100 != 5 {
			return status
		}
		if w.t.Context().Err() != nil {
			return status
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// load is the traffic of many senders: a tenth ends an alert, three tenths repeat
// one, one in a hundred cannot be read, the rest is new.
type load struct {
	// posts is how many in all; 0 means until over is closed.
	posts, senders int
	over           <-chan struct{}
	// pause is between two posts of one sender.
	pause time.Duration
	// progress is told the number of posts that are done.
	progress func(done int)
}

// run sends everything and returns when all of it is answered for good.
func (w *world) run(l load) {
	w.t.Helper()
	var done, next atomic.Int64
	var sending sync.WaitGroup
	for sender := range l.senders {
		sending.Go(func() {
			random, own := w.random(1000+sender), []string{}
			o := w.tenants[sender%len(w.tenants)]
			for l.goesOn(int(next.Add(1))) {
				w.sendOne(random, sender, o, &own)
				if n := int(done.Add(1)); l.progress != nil {
					l.progress(n)
				}
				time.Sleep(l.pause)
			}
		})
	}
	sending.Wait()
}

func (l load) goesOn(nth int) bool {
	select {
	case <-l.over:
		return false
	default:
		return l.posts == 0 || nth <= l.posts
	}
}

func (w *world) sendOne(random *rand.Rand, sender int, o *tenant, own *[]string) {
	dice := random.IntN(100)
	if dice == 0 {
		if status := w.insist(sender, o, "", []byte(`{"version":"4","alerts":`)); status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
			w.t.Errorf("an unreadable body was answered with %d", status)
		}
		return
	}
	key, body := o.alertKey(sender*100_000+len(*own)), firing
	if dice <= 40 && len(*own) > 0 {
		key = (*own)[random.IntN(len(*own))]
		if dice <= 10 {
			body = resolved
		}
	} else {
		*own = append(*own, key)
	}
	if status := w.insist(sender, o, key, body(key)); status/100 != 2 {
		w.t.Errorf("alert %s was answered with %d", key, status)
	}
}
