package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// pageLimit is how long a page may take before the measurement gives up.
const pageLimit = 30 * time.Second

// warmUp are the pages before those that count: connections open, plans are made.
const warmUp = 10

type pageCommand struct {
	setting
	Samples int `default:"200" help:"Pages, one after the other."`
	People  int `default:"30" help:"People who are paged at the same moment."`
	Rounds  int `default:"5" help:"How often they are."`
}

// quantiles of times in milliseconds.
type quantiles struct {
	P50 float64 `json:"p50_ms"`
	P90 float64 `json:"p90_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

func quantilesOf(times []time.Duration) quantiles {
	slices.Sort(times)
	return quantiles{at(times, 0.5), at(times, 0.9), at(times, 0.99), at(times, 1)}
}

type pageReport struct {
	report

	Samples int `json:"samples"`
	// InToOut is from the first byte of the alert's webhook to the arrival of the page's.
	InToOut quantiles `json:"webhook_in_to_webhook_out"`
	// Answered is until the sender of the alert had its answer: the part that it waits.
	Answered quantiles `json:"webhook_in_to_answer"`
	People   int       `json:"people"`
	// Last is from the first of the alerts to the arrival of the last page, for each round.
	Last       []float64 `json:"last_page_ms"`
	LoadBefore float64   `json:"load_before"`
	LoadAfter  float64   `json:"load_after"`
	Targets    []bar     `json:"targets"`
}

// Run measures how soon one person is paged, and many at once.
func (c pageCommand) Run(ctx context.Context) (err error) {
	if c.Quick {
		c.Samples, c.Rounds = 40, 2
	}
	rig, err := newPageRig(ctx, c.Bin, c.People)
	defer func() { err = errors.Join(err, rig.end()) }()
	if err != nil {
		return err
	}
	r := pageReport{report: newReport(), Samples: c.Samples, People: c.People, LoadBefore: load()}
	if r.InToOut, r.Answered, err = rig.oneByOne(ctx, c.Samples); err != nil {
		return err
	}
	for range c.Rounds {
		last, err := rig.atOnce(ctx)
		if err != nil {
			return err
		}
		r.Last = append(r.Last, round(float64(last)/float64(time.Millisecond), 1))
	}
	r.LoadAfter = load()
	r.Targets = []bar{
		newBar("webhook in to webhook out, p50 ms", 20, true, []float64{r.InToOut.P50}),
		newBar("webhook in to webhook out, p99 ms", 100, true, []float64{r.InToOut.P99}),
		newBar(fmt.Sprintf("%d people at once, the last after ms", c.People), 1000, true, r.Last),
	}
	r.print()
	return c.keep("page.json", r)
}

func (r pageReport) print() {
	line := func(what string, q quantiles) []string {
		return []string{what, number(q.P50), number(q.P90), number(q.P99), number(q.Max)}
	}
	table{
		{fmt.Sprintf("%d pages, load %.1f", r.Samples, r.LoadAfter), "p50 ms", "p90", "p99", "max"},
		line("webhook in to answer", r.Answered), line("webhook in to webhook out", r.InToOut),
	}.print()
	printBars("target", r.Targets)
}

// pageRig is a server with people who each have a service that pages them.
type pageRig struct {
	server *nightbell
	sink   *sink
	// hooks are where the alerts of each person's service go.
	hooks []string
	next  uint64
}

func newPageRig(ctx context.Context, bin string, people int) (r *pageRig, err error) {
	r = &pageRig{next: 0xbe11_0000_0000_0000}
	if r.sink, err = startSink(ctx); err != nil {
		return r, err
	}
	if r.server, err = serve(ctx, bin); err != nil {
		return r, err
	}
	for i := range people {
		if err := r.add(ctx, i); err != nil {
			return r, err
		}
	}
	return r, nil
}

// add registers a person with a service.
func (r *pageRig) add(ctx context.Context, n int) error {
	w, err := register(ctx, r.server.url, fmt.Sprintf("person%d", n), r.sink.url)
	if err != nil {
		return err
	}
	if err := w.addServices(ctx, 1); err != nil {
		return err
	}
	r.hooks = append(r.hooks, w.hooks(r.server.url, 1)[0])
	return nil
}

// senders opens a connection for each hook; the server closes those that say nothing.
func senders(ctx context.Context, hooks []string) (list []*httpWorker, end func(), err error) {
	end = func() {
		for _, sender := range list {
			_ = sender.conn.Close()
		}
	}
	for _, hook := range hooks {
		sender, err := job{PerRequest: 1, Shape: distinctGroups}.httpWorker(ctx, hook)
		if err != nil {
			return list, end, err
		}
		list = append(list, sender)
	}
	return list, end, nil
}

func (r *pageRig) end() error {
	if r.sink != nil {
		r.sink.stop()
	}
	if r.server == nil {
		return nil
	}
	return r.server.remove()
}

// timed is what became of one alert.
type timed struct{ sent, answered, paged time.Time }

// fire sends an alert of a person's service and waits until its page is there.
func (r *pageRig) fire(ctx context.Context, sender *httpWorker, number uint64) (t timed, err error) {
	arrival := r.sink.await(fmt.Sprintf("%016x", number))
	t.sent = time.Now()
	accepted, err := sender.do(ctx, number)
	t.answered = time.Now()
	if err != nil || !accepted {
		return t, errors.Join(errors.New("an alert was not accepted"), err)
	}
	select {
	case t.paged = <-arrival:
		return t, nil
	case <-time.After(pageLimit):
		return t, fmt.Errorf("no page within %s", pageLimit)
	case <-ctx.Done():
		return t, ctx.Err()
	}
}

// oneByOne pages one person again and again, after a pause of any length, so that no
// rhythm of the server can favour or hide anything.
func (r *pageRig) oneByOne(ctx context.Context, samples int) (inToOut, answered quantiles, err error) {
	sender, end, err := senders(ctx, r.hooks[:1])
	defer end()
	if err != nil {
		return inToOut, answered, err
	}
	var all, answers []time.Duration
	for i := range samples + warmUp {
		time.Sleep(rand.N(100 * time.Millisecond))
		r.next++
		t, err := r.fire(ctx, sender[0], r.next)
		if err != nil {
			return inToOut, answered, err
		}
		if i >= warmUp {
			all, answers = append(all, t.paged.Sub(t.sent)), append(answers, t.answered.Sub(t.sent))
		}
	}
	return quantilesOf(all), quantilesOf(answers), nil
}

// atOnce pages everybody at the same moment and tells when the last page was there.
func (r *pageRig) atOnce(ctx context.Context) (last time.Duration, err error) {
	everybody, end, err := senders(ctx, r.hooks)
	defer end()
	if err != nil {
		return 0, err
	}
	var mu sync.Mutex
	var done sync.WaitGroup
	began := time.Now()
	for _, sender := range everybody {
		r.next++
		number := r.next
		done.Go(func() {
			t, failed := r.fire(ctx, sender, number)
			mu.Lock()
			defer mu.Unlock()
			last, err = max(last, t.paged.Sub(began)), errors.Join(err, failed)
		})
	}
	done.Wait()
	return last, err
}
