package app

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authrpc"
	"github.com/nightbell/nightbell/api/internal/demo"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/view/export"
)

const (
	// exportsAtOnce is how many exports one process writes at a time, one for each caller, and
	// exportsPerMinute how many one caller may begin.
	exportsAtOnce    = 16
	exportsPerMinute = 4
	// exportTakes is the longest that one may take, and exportStalls how long its reader may take nothing.
	exportTakes  = 10 * time.Minute
	exportStalls = 30 * time.Second
)

var (
	errNoGuest     = fault.New(fault.Denied, "only_looks", "Guests of the demo look around and take nothing along. Register to have a workspace of your own.")
	errExportsBusy = fault.New(fault.Unavailable, "exports_busy", "Your last export, or many of others, are still being written. Try again in a minute.").After(60)
)

// exports serves what people and organizations take along.
type exports struct {
	server  *server
	callers *authrpc.Authenticator
	calls   *callquota.Quota
	begun   *callquota.Quota
	writing places
}

func (s *server) newExports(callers *authrpc.Authenticator, calls *callquota.Quota) *exports {
	return &exports{
		server: s, callers: callers, calls: calls, begun: callquota.New("exports", exportsPerMinute, time.Now),
	}
}

// account answers GET /v1/account/export: all that is stored of who calls.
func (e *exports) account() http.Handler {
	return e.serve("nightbell.v1.AccountService/ExportAccount", auth.Viewer, "application/json", "nightbell-account.json",
		func(ctx context.Context, actor auth.Actor, w io.Writer) error {
			return export.Account(ctx, e.server.db, actor.UserID, w)
		})
}

// serve answers with a file that write makes for people of at least that role.
func (e *exports) serve(method string, least auth.Role, contentType, name string, write func(context.Context, auth.Actor, io.Writer) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		actor, err := e.begin(w, r, least)
		if err != nil {
			rpcserver.WriteError(w, r, err)
			return
		}
		defer e.writing.leave(*actor.ID())
		ctx, cancel := context.WithTimeout(r.Context(), exportTakes)
		defer cancel()
		file := &patientWriter{w: w, control: http.NewResponseController(w), header: func() {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
			w.Header().Set("Cache-Control", "no-store")
		}}
		err = write(ctx, actor, file)
		authrpc.AuditPlain(ctx, e.server.db, e.server.logger, actor, method, err)
		switch {
		case err == nil:
		case !file.begun:
			if away := classify(err); away != nil {
				err = away
			}
			rpcserver.WriteError(w, r, err)
		default:
			// What was sent cannot be taken back. Broken off, it is no whole answer to anybody.
			e.server.logger.WarnContext(ctx, "an export was broken off", "error", err, "org_id", actor.OrgID)
			panic(http.ErrAbortHandler)
		}
	})
}

// begin finds out who calls, and takes a place; whoever is not refused gives it back.
func (e *exports) begin(w http.ResponseWriter, r *http.Request, least auth.Role) (auth.Actor, error) {
	actor, err := e.callers.FromRequest(r)
	switch {
	case err != nil:
		return actor, err
	case actor.Kind == auth.User && actor.UserID == demo.GuestID():
		return actor, errNoGuest
	}
	if err := auth.Allow(&auth.Rule{Role: least}, actor); err != nil {
		return actor, err
	}
	if err := e.calls.Count(*actor.ID(), w.Header()); err != nil {
		return actor, err
	}
	if err := e.begun.Count(*actor.ID(), http.Header{}); err != nil {
		return actor, err
	}
	if !e.writing.take(*actor.ID()) {
		return actor, errExportsBusy
	}
	return actor, nil
}

// places are those for exports that are being written. A caller has one, so that nobody who reads slowly keeps
// others from theirs.
type places struct {
	mu    sync.Mutex
	taken map[uuid.UUID]bool
}

func (p *places) take(caller uuid.UUID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[caller] || len(p.taken) == exportsAtOnce {
		return false
	}
	if p.taken == nil {
		p.taken = map[uuid.UUID]bool{}
	}
	p.taken[caller] = true
	return true
}

func (p *places) leave(caller uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, caller)
}

// patientWriter gives a reader who takes something time to take more.
type patientWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	header  func()
	begun   bool
}

func (p *patientWriter) Write(text []byte) (int, error) {
	if !p.begun {
		p.header()
		p.begun = true
	}
	// A test's recorder knows no deadlines.
	if err := p.control.SetWriteDeadline(time.Now().Add(exportStalls)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return p.w.Write(text)
}
