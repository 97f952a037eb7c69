//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
)

// pair is a primary and its synchronous standby: two real PostgreSQL servers on the
// loopback, under an account without rights, with streaming replication.
type pair struct {
	t                *testing.T
	program          string
	credential       *syscall.Credential // nil: ours
	primary, standby *database
}

// database is one of the two servers.
type database struct {
	t       *testing.T
	dir     string
	host    string
	port    string
	command *exec.Cmd
	done    chan struct{}
}

// paired starts a pair, and a program that knows both servers.
func paired(t *testing.T, settings ...string) (*world, *pair) {
	t.Helper()
	w := newWorld(t)
	p := newPair(t)
	w.dsn = p.dsn()
	w.serve(1, settings...)
	return w, p
}

func newPair(t *testing.T) *pair {
	t.Helper()
	first, second := emptyDir(t), emptyDir(t)
	p := &pair{t: t, primary: newDatabase(t, first), standby: newDatabase(t, second)}
	t.Cleanup(func() { p.primary.kill(); p.standby.kill() })
	p.initialize(first)
	p.launch(p.primary)
	p.attach()
	return p
}

func newDatabase(t *testing.T, parent string) *database {
	t.Helper()
	host, port, _ := strings.Cut(freeAddress(t), ":")
	return &database{t: t, dir: filepath.Join(parent, "database"), host: host, port: port}
}

// initialize makes the primary's data by way of the private server, which unpacks the
// programs, chooses the account and makes the login role.
func (p *pair) initialize(dir string) {
	p.t.Helper()
	server, err := embedded.Start(context.Background(), embedded.Options{DataDir: dir})
	if err != nil {
		p.t.Fatalf("make the primary: %v", err)
	}
	if err := server.Stop(context.Background()); err != nil {
		p.t.Fatalf("make the primary: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "postgres", "*", "bin", "postgres"))
	if err != nil || len(found) != 1 {
		p.t.Fatalf("this test was built without PostgreSQL inside (%v). Run it by: make chaos", found)
	}
	p.program = found[0]
	info, err := os.Stat(p.primary.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); int(owner.Uid) != os.Geteuid() {
		p.credential = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	}
}

// dsn reaches whichever of the two takes writes.
func (p *pair) dsn() string {
	return fmt.Sprintf("postgres://nightbell@%s,%s/nightbell?sslmode=disable&target_session_attrs=read-write&connect_timeout=1",
		p.primary.address(), p.standby.address())
}

func (d *database) address() string { return d.host + ":" + d.port }

func (d *database) dsn(user string) string {
	return fmt.Sprintf("postgres://%s@%s/nightbell?sslmode=disable&connect_timeout=1", user, d.address())
}

// launch starts a server and waits until it takes connections.
func (p *pair) launch(d *database) {
	p.t.Helper()
	log, err := os.OpenFile(filepath.Join(outDir(p.t), "postgres-"+d.port+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	arguments := []string{"-D", d.dir}
	for name, value := range map[string]string{
		"listen_addresses": d.host, "port": d.port, "unix_socket_directories": "", "max_connections": "100",
		"shared_buffers": "32MB", "wal_keep_size": "1GB", "hot_standby": "on", "logging_collector": "off",
	} {
		arguments = append(arguments, "-c", name+"="+value)
	}
	d.command, d.done = exec.Command(p.program, arguments...), make(chan struct{})
	d.command.Dir, d.command.Env = "/", []string{"LC_ALL=C", "TZ=UTC"}
	d.command.Stdout, d.command.Stderr = log, log
	d.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.credential, Pdeathsig: syscall.SIGINT}
	started, command, done := make(chan error), d.command, d.done
	go func() {
		runtime.LockOSThread() // the kernel takes the end of this thread for our death
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait()
			close(done)
		}
	}()
	if err := <-started; err != nil {
		p.t.Fatalf("start PostgreSQL: %v", err)
	}
	d.awaitReady()
}

// awaitReady reads the state in the pid file.
func (d *database) awaitReady() {
	d.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		content, _ := os.ReadFile(filepath.Join(d.dir, "postmaster.pid"))
		lines := strings.Split(string(content), "\n")
		if len(lines) > 7 && lines[0] == strconv.Itoa(d.command.Process.Pid) && strings.TrimSpace(lines[7]) == "ready" {
			return
		}
		select {
		case <-d.done:
			d.t.Fatalf("PostgreSQL on port %s ended while starting", d.port)
		default:
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("PostgreSQL on port %s is not ready after a minute", d.port)
		}
	}
}

// attach makes a new standby of the primary, in the place of the other server, and has
// the primary wait for it.
func (p *pair) attach() {
	p.t.Helper()
	p.clone()
	p.launch(p.standby)
	p.primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	p.await("the standby is synchronous", func() error {
		var state string
		err := p.primary.ask(time.Second, `SELECT coalesce(max(state || ' ' || sync_state), 'none') FROM pg_stat_replication`, &state)
		if err == nil && state != "streaming sync" {
			err = fmt.Errorf("it is %s", state)
		}
		return err
	})
}

func (p *pair) await(what string, look func() error) {
	p.t.Helper()
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = look(); err == nil {
			return
		}
	}
	p.t.Fatalf("%s, after a minute: %v", what, err)
}

// run executes statements as the administrator.
func (d *database) run(statements ...string) {
	d.t.Helper()
	conn, err := pgx.Connect(context.Background(), d.dsn("postgres"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, sql := range statements {
		if _, err := conn.Exec(context.Background(), sql); err != nil {
			d.t.Fatalf("%s: %v", sql, err)
		}
	}
}

// ask reads one value on a connection of its own, within a limit.
func (d *database) ask(limit time.Duration, sql string, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, d.dsn("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.QueryRow(ctx, sql).Scan(into)
}

// family is the server and its children.
func (d *database) family() []int {
	pid := d.command.Process.Pid
	list := []int{pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			list = append(list, child)
		}
	}
	return list
}

// hang stops the time of the whole server; resume lets it run on.
func (d *database) hang() {
	_ = syscall.Kill(d.command.Process.Pid, syscall.SIGSTOP) // no more children
	for _, pid := range d.family() {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
}

func (d *database) resume() {
	for _, pid := range d.family() {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
}

// kill ends every process of the server without a word.
func (d *database) kill() {
	if d.command == nil {
		return
	}
	select {
	case <-d.done:
		return
	default:
	}
	_ = syscall.Kill(d.command.Process.Pid, syscall.SIGSTOP)
	for _, pid := range d.family() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-d.done
}

// promote waits until the primary has missed three looks, as whoever watches a pair
// does, ends it for certain when it is to be fenced, and promotes the standby. What was
// the standby is the primary from then on.
func (p *pair) promote(fenced bool) {
	p.t.Helper()
	for misses := 0; misses < 3; time.Sleep(200 * time.Millisecond) {
		var one int
		if p.primary.ask(500*time.Millisecond, "SELECT 1", &one) != nil {
			misses++
		} else {
			misses = 0
		}
	}
	if fenced {
		p.primary.kill()
	}
	p.standby.run("SELECT pg_promote(true, 30)")
	p.primary, p.standby = p.standby, p.primary
}
