package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What a case runs against.
const (
	theServer = "server"
	theInsert = "insert"
)

// keyed is how many services have keys that load goes through.
const keyed = 16

// ingestCase is one row of the table.
type ingestCase struct {
	Name        string `json:"name"`
	Target      string `json:"target"` // server or insert
	Shape       string `json:"shape"`  // distinct, events, group or same
	Concurrency int    `json:"concurrency"`
	Keys        int    `json:"keys"`
	PerRequest  int    `json:"alerts_per_request"`
}

// Names that ratios refer to.
const (
	raw1, raw16, raw64, raw100       = "insert c=1", "insert c=16", "insert c=64", "insert 100 rows c=4"
	ours1, ours16, ours64, ours160   = "c=1", "c=16", "c=64", "c=160"
	ours16events                     = "c=16, events"
	ours16keys, ours64keys           = "c=16, 16 keys", "c=64, 16 keys"
	ours16same, ours16group, ours100 = "c=16, same alert", "c=16, one group", "100 alerts c=4"
)

// ingestCases in the order they run in each round: what is compared runs side by side.
var ingestCases = []ingestCase{
	{raw1, theInsert, "", 1, 0, 1},
	{ours1, theServer, distinctGroups, 1, 1, 1},
	{raw16, theInsert, "", 16, 0, 1},
	{ours16, theServer, distinctGroups, 16, 1, 1},
	{ours16events, theServer, distinctEvents, 16, 1, 1},
	{ours16keys, theServer, distinctGroups, 16, 16, 1},
	{ours16same, theServer, sameAlert, 16, 1, 1},
	{ours16group, theServer, oneGroup, 16, 1, 1},
	{raw64, theInsert, "", 64, 0, 1},
	{ours64, theServer, distinctGroups, 64, 1, 1},
	{ours64keys, theServer, distinctGroups, 64, 16, 1},
	{ours160, theServer, distinctGroups, 160, 1, 1},
	{raw100, theInsert, "", 4, 0, 100},
	{ours100, theServer, distinctGroups, 4, 1, 100},
}

// ingestRun is one run of a case.
type ingestRun struct {
	outcome

	Alerts int64 `json:"alerts"`
	// Rate is accepted alerts, or rows, per second.
	Rate float64 `json:"alerts_per_second"`
	// CPU is processor seconds of the server and all of PostgreSQL per 1,000 alerts,
	// until the last answer; CPUDelivered is until the last page was delivered too.
	CPU          float64 `json:"cpu_s_per_1000"`
	CPUDelivered float64 `json:"cpu_s_per_1000_delivered"`
	LoadBefore   float64 `json:"load_before"`
	LoadAfter    float64 `json:"load_after"`
}

type ingestResult struct {
	ingestCase

	Rate spread      `json:"alerts_per_second"`
	P50  spread      `json:"p50_ms"`
	P90  spread      `json:"p90_ms"`
	P99  spread      `json:"p99_ms"`
	Max  spread      `json:"max_ms"`
	CPU  spread      `json:"cpu_s_per_1000"`
	Runs []ingestRun `json:"runs"`
}

type ingestReport struct {
	report

	Rounds  int            `json:"rounds"`
	Cases   []ingestResult `json:"cases"`
	Ratios  []bar          `json:"ratios"`
	Targets []bar          `json:"targets"`
}

type ingestCommand struct {
	setting
	Rounds  int     `default:"5" help:"Rounds; each runs every case once."`
	Seconds float64 `default:"1.2" help:"How long a run takes."`
	Only    string  `help:"Run only the case of this name, for a look with a profiler."`
}

// Run measures, verifies after every run that nothing was lost, and says which bars
// were reached. It fails when an alert was lost or refused, not when a bar is missed:
// those belong to the machine too.
func (c ingestCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Rounds, c.Seconds = 2, 0.6
	}
	runs := map[string][]ingestRun{}
	rig, err := newIngestRig(ctx, c.Bin)
	if err == nil {
		err = rig.rounds(ctx, c, runs)
	}
	if err = errors.Join(err, rig.end()); err != nil {
		return err
	}
	r := ingestReport{report: newReport(), Rounds: c.Rounds, Cases: sumCases(runs), Ratios: ratios(runs), Targets: targets(runs)}
	r.print()
	return c.keep("ingest.json", r)
}

func (r *ingestRig) rounds(ctx context.Context, c ingestCommand, runs map[string][]ingestRun) error {
	for round := range c.Rounds {
		if err := r.db.clear(ctx); err != nil {
			return err
		}
		for _, one := range ingestCases {
			if c.Only != "" && c.Only != one.Name {
				continue
			}
			run, err := r.run(ctx, one, c.Seconds)
			if err != nil {
				return fmt.Errorf("%s (%s), round %d: %w", one.Name, one.Target, round+1, err)
			}
			runs[one.Name] = append(runs[one.Name], run)
			fmt.Printf("\rround %d of %d: %-24s %8.0f/s", round+1, c.Rounds, one.Name, run.Rate)
		}
	}
	fmt.Println()
	return nil
}

// ingestRig is everything that runs while alerts are sent.
type ingestRig struct {
	server    *nightbell
	db        *database
	sink      *sink
	workspace *workspace
	next      uint64
}

// newIngestRig starts everything. The rig must be ended, also after an error.
func newIngestRig(ctx context.Context, bin string) (r *ingestRig, err error) {
	r = &ingestRig{next: 1}
	if r.sink, err = startSink(ctx); err != nil {
		return r, err
	}
	if r.server, err = serve(ctx, bin); err != nil {
		return r, err
	}
	if r.db, err = r.server.database(ctx); err != nil {
		return r, err
	}
	if _, err = r.db.Exec(ctx, rawTable+`; ALTER SCHEMA bench OWNER TO nightbell; ALTER TABLE bench.raw_alert OWNER TO nightbell`); err != nil {
		return r, err
	}
	if r.workspace, err = register(ctx, r.server.url, "ingest", r.sink.url); err != nil {
		return r, err
	}
	return r, r.workspace.addServices(ctx, keyed)
}

func (r *ingestRig) end() error {
	var problems []error
	if r.db != nil {
		problems = append(problems, r.db.Close(context.Background()))
	}
	if r.server != nil {
		problems = append(problems, r.server.remove())
	}
	if r.sink != nil {
		r.sink.stop()
	}
	return errors.Join(problems...)
}

// run does one case and verifies that what was accepted is stored.
func (r *ingestRig) run(ctx context.Context, c ingestCase, seconds float64) (run ingestRun, err error) {
	j, stores := r.job(c, seconds)
	stored, err := r.db.stored(ctx)
	if err != nil {
		return run, err
	}
	run.LoadBefore = load()
	before, err := processorTime(r.server.pid())
	if err != nil {
		return run, err
	}
	if run.outcome, err = drive(ctx, j); err != nil {
		return run, err
	}
	answered, err := processorTime(r.server.pid())
	if err != nil {
		return run, err
	}
	if err := r.db.awaitDelivered(ctx); err != nil {
		return run, fmt.Errorf("%w; the server said: %s", err, r.server.lastWords())
	}
	delivered, err := processorTime(r.server.pid())
	if err != nil {
		return run, err
	}
	run.LoadAfter = load()
	run.Alerts = run.Accepted * int64(c.PerRequest)
	run.Rate = round(float64(run.Alerts)/run.Seconds, 1)
	run.CPU, run.CPUDelivered = perThousand(answered-before, run.Alerts), perThousand(delivered-before, run.Alerts)
	if run.Refused > 0 || run.Failed > 0 {
		return run, fmt.Errorf("%d requests were refused, %d had no answer: %s", run.Refused, run.Failed, run.FirstError)
	}
	if stores {
		distinct := run.Alerts
		if c.Shape == sameAlert {
			distinct = 1
		}
		err = r.db.verify(ctx, stored, distinct, run.Alerts)
	}
	return run, err
}

func (r *ingestRig) job(c ingestCase, seconds float64) (j job, stores bool) {
	j = job{Concurrency: c.Concurrency, PerRequest: c.PerRequest, Shape: c.Shape, Start: r.next, For: seconds}
	r.next += 10_000_000
	if c.Target == theInsert {
		j.DSN = r.server.dsn("nightbell")
		return j, false
	}
	j.URLs = r.workspace.hooks(r.server.url, c.Keys)
	if c.Shape == distinctEvents {
		j.URLs = r.workspace.eventURLs(r.server.url, c.Keys)
	}
	return j, true
}

func perThousand(used time.Duration, alerts int64) float64 {
	return round(used.Seconds()*1000/float64(max(1, alerts)), 4)
}
