package publish_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/publish"
)

// meeting takes a mail once as many as it expects are under way.
type meeting struct{ sync.WaitGroup }

func (m *meeting) SendNotice(context.Context, notify.Notice) (notify.Receipt, error) {
	m.Done()
	m.Wait()
	return notify.Receipt{}, nil
}

// TestAnOwnerWhoseMailboxHangsDelaysNoOther: the mails of a round are under way together.
func TestAnOwnerWhoseMailboxHangsDelaysNoOther(t *testing.T) {
	w := newWorld(t)
	w.Exec(t, `UPDATE membership SET role = 'owner' WHERE org_id = $1`, w.Org)
	w.subscribe(t, w.Org, "/")
	w.anyIncident(t)
	w.note(t, "one")(true)
	w.status(http.StatusGone)
	w.sweep(t)
	mail := &meeting{}
	mail.Add(2) // Ada and Bob
	p := publish.New(w.DB, publish.Options{Logger: slog.New(slog.DiscardHandler), Opener: plain{}, Mail: mail, Freed: func() {}})
	if err := p.MailOwners(t.Context()); err != nil {
		t.Error(err)
	}
}
