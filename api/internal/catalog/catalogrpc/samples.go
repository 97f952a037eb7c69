package catalogrpc

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/kernel/clock"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// How much an answer holds: the points of one name when the caller names no step, and those of all
// names together.
const (
	samplesShown     = 300
	mostSamplesShown = 10_000
)

// sampleSteps are those that are chosen when the caller names none.
var sampleSteps = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 24 * time.Hour,
}

// Samples implements nightbellv1connect.SampleServiceHandler.
type Samples struct{ db *postgres.DB }

// NewSamples makes the handler.
func NewSamples(db *postgres.DB) *Samples { return &Samples{db} }

// GetServiceSamples gives a service's readings, added up by the step.
func (h *Samples) GetServiceSamples(ctx context.Context, request *nightbellv1.GetServiceSamplesRequest) (*nightbellv1.GetServiceSamplesResponse, error) {
	caller, _ := auth.ActorFrom(ctx)
	serviceID, _ := id.Parse(request.GetId())
	response := &nightbellv1.GetServiceSamplesResponse{}
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if exists, err := catalogdb.ServiceExists(ctx, tx, caller.OrgID, serviceID); err != nil || !exists {
			return cmp.Or(err, error(errNoService))
		}
		series, err := catalogdb.SeriesOf(ctx, tx, caller.OrgID, serviceID, request.GetName())
		if err != nil {
			return err
		}
		since, until, step, err := sampleRange(request, len(series), now)
		if err != nil {
			return err
		}
		response.Since, response.Until, response.StepSeconds = timestamppb.New(since), timestamppb.New(until), int32(step.Seconds())
		for _, one := range series {
			if err := catalogdb.ReadSamples(ctx, tx, caller.OrgID, serviceID, &one, since, until, step); err != nil {
				return err
			}
			response.Series = append(response.Series, seriesMessage(one))
		}
		response.Uptime, err = catalogdb.Uptime(ctx, tx, caller.OrgID, serviceID, since, clock.Earlier(until, now))
		return err
	}, postgres.ReadOnly())
	return response, err
}

// sampleRange is what is asked for: the last 24 hours when nothing is said, by whole steps. What does
// not fit into an answer is refused.
func sampleRange(request *nightbellv1.GetServiceSamplesRequest, series int, now time.Time) (since, until time.Time, step time.Duration, err error) {
	until = now
	if request.Until != nil {
		until = request.GetUntil().AsTime()
	}
	since = until.Add(-24 * time.Hour)
	if request.Since != nil {
		since = request.GetSince().AsTime()
	}
	if since.Before(time.Time{}) { // no answer holds a time before the year 1
		since = time.Time{}
	}
	step = time.Duration(request.GetStepSeconds()) * time.Second
	switch {
	case !since.Before(until):
		return since, until, step, fault.InvalidField("since", fault.OutOfRange, "since must lie before until.")
	case until.Sub(since) > catalog.SamplesKept:
		return since, until, step, fault.InvalidField("since", fault.OutOfRange, "Samples are kept for 30 days. Ask for less at once.")
	case step%time.Minute != 0:
		return since, until, step, fault.InvalidField("step_seconds", fault.OutOfRange, "step_seconds must be a number of whole minutes, such as 60 or 300.")
	}
	for _, wider := range sampleSteps {
		if step == 0 && int(until.Sub(since)/wider) <= samplesShown {
			step = wider
		}
	}
	if points := series * int(until.Sub(since)/step); points > mostSamplesShown {
		return since, until, step, fault.InvalidField("step_seconds", fault.OutOfRange, fmt.Sprintf(
			"These would be about %d points, and an answer holds %d. Ask for a larger step, less time or fewer names.", points, mostSamplesShown))
	}
	return since.Truncate(step), until, step, nil
}

func seriesMessage(series catalogdb.Series) *nightbellv1.SampleSeries {
	message := &nightbellv1.SampleSeries{Name: series.Name, Unit: known(series.Unit), Points: make([]*nightbellv1.SamplePoint, len(series.Points))}
	for i, p := range series.Points {
		message.Points[i] = &nightbellv1.SamplePoint{
			At: timestamppb.New(p.At), SampleCount: p.Count, Average: p.Sum / float64(p.Count), Min: p.Min, Max: p.Max, Last: p.Last,
		}
	}
	return message
}
