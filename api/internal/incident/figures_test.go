package incident_test

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/incident"
)

func TestFiguresAreMeansOfWhatWasAnsweredAndIsOver(t *testing.T) {
	t.Parallel()
	var f incident.Figures
	if f.MTTA() != nil || f.MTTR() != nil {
		t.Errorf("means of nothing: %v, %v", f.MTTA(), f.MTTR())
	}
	began, never := time.Date(2026, 3, 25, 3, 0, 0, 0, time.UTC), time.Time{}
	f.Add(began, began.Add(time.Minute), began.Add(time.Hour))
	f.Add(began, began.Add(2*time.Minute+time.Second), never)
	f.Add(began, never, never)
	if f.Triggered != 3 || f.Acknowledged != 2 || f.Resolved != 1 {
		t.Errorf("counted %+v", f)
	}
	if mtta, mttr := f.MTTA(), f.MTTR(); *mtta != 91 || *mttr != 3600 { // 90.5 is rounded up
		t.Errorf("MTTA %d, MTTR %d", *mtta, *mttr)
	}
}

func TestAThousandYearsOfIncidentsDoNotOverflow(t *testing.T) {
	t.Parallel()
	var f incident.Figures
	began := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 1000 {
		f.Add(began, time.Time{}, began.AddDate(1, 0, 0))
	}
	if mttr := *f.MTTR(); mttr != 366*24*3600 {
		t.Errorf("MTTR %d", mttr)
	}
}
