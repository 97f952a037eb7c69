package respond_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestAnAlertThatComesDuringAMergeJoinsTheOther: it found the incident open that was merged by the time
// it had its lock, and opened a second one, which paged.
func TestAnAlertThatComesDuringAMergeJoinsTheOther(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	ada := pagingtest.By(w.Ada, "Ada")
	for round := range 30 {
		one, two := fmt.Sprint("disk ", round), fmt.Sprint("db ", round)
		w.Accept(t, of(one, alert.High, one))
		w.Accept(t, of(two, alert.High, two))
		ids := incidentIDs(t, w)
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := w.Responder.Merge(t.Context(), w.Org, ids[len(ids)-2], ids[len(ids)-1], ada); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Duration(round%6) * time.Millisecond)
		w.Accept(t, of(one, alert.High, one+" again"))
		wg.Wait()
	}
	if open := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE org_id = $1 AND status <> 'resolved'`, w.Org); open != 30 {
		t.Errorf("%d incidents are open, want 30", open)
	}
}
