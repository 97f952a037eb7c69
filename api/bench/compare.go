package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// slack is the loss that is not yet one: a twentieth.
const slack = 0.05

type compareCommand struct {
	setting
	Before  string  `required:"" type:"existingfile" help:"The binary to compare with." placeholder:"FILE"`
	Rounds  int     `default:"10" help:"Rounds; in each both binaries run every case, the later one first in every other."`
	Seconds float64 `default:"1.2" help:"How long a run takes."`
	Pages   int     `default:"40" help:"Pages of a round, one after the other."`
	Only    string  `help:"Of the cases that store alerts, only the one of this name."`
}

// side is one of the binaries with what was measured of it, a value for each round.
type side struct {
	rig     *ingestRig
	pager   *pageRig
	figures map[string][]float64
}

// comparison is the later binary's cost of something, in times of the earlier one's: for
// a rate the inverse, so that more than 1 is always worse.
type comparison struct {
	Name   string  `json:"name"`
	Before float64 `json:"before_median"`
	After  float64 `json:"after_median"`
	// Cost is the geometric mean of the rounds' ratios, Low and High its 95% interval.
	Cost float64 `json:"cost"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Loss bool    `json:"loss"`
}

type compareReport struct {
	report

	Rounds      int          `json:"rounds"`
	LoadBefore  float64      `json:"load_before"`
	LoadAfter   float64      `json:"load_after"`
	Comparisons []comparison `json:"comparisons"`
}

// Run measures both binaries in the same minutes. It fails when the later one is slower:
// when the whole interval of a ratio lies more than a twentieth above 1.
func (c compareCommand) Run(ctx context.Context) (err error) {
	if c.Quick {
		c.Rounds, c.Seconds, c.Pages = 3, 0.5, 10
	}
	sides := []*side{}
	defer func() {
		for _, s := range sides {
			err = errors.Join(err, s.rig.end())
		}
	}()
	for _, bin := range []string{c.Before, c.Bin} {
		s, err := newSide(ctx, bin)
		sides = append(sides, s)
		if err != nil {
			return fmt.Errorf("%s: %w", bin, err)
		}
	}
	r := compareReport{report: newReport(), Rounds: c.Rounds, LoadBefore: load()}
	for round := range c.Rounds {
		order := sides
		if round%2 == 1 {
			order = []*side{sides[1], sides[0]}
		}
		for _, s := range order {
			if err := s.measure(ctx, c); err != nil {
				return fmt.Errorf("%s, round %d: %w", s.rig.server.bin, round+1, err)
			}
		}
		fmt.Printf("\rround %d of %d", round+1, c.Rounds)
	}
	fmt.Println()
	r.LoadAfter = load()
	losses := 0
	for _, m := range c.measures() {
		one := compare(m, sides[0].figures[m.name], sides[1].figures[m.name])
		if one.Loss {
			losses++
		}
		r.Comparisons = append(r.Comparisons, one)
	}
	r.print()
	if err := c.keep("compare.json", r); err != nil {
		return err
	}
	if losses > 0 {
		return fmt.Errorf("%d figures are worse by more than a twentieth", losses)
	}
	return nil
}

// measure is a figure that is compared.
type measure struct {
	name        string
	smallIsGood bool
}

func (c compareCommand) measures() []measure {
	var list []measure
	for _, one := range ingestCases {
		if c.takes(one) {
			list = append(list, measure{one.Name + ", alerts/s", false}, measure{one.Name + ", p50 ms", true}, measure{one.Name + ", CPU s/1000", true})
		}
	}
	return append(list, measure{"list of 25, p50 ms", true}, measure{"list of 1000, p50 ms", true}, measure{"page, p50 ms", true}, measure{"page, p90 ms", true})
}

// takes leaves out what binaries of before do not take.
func (c compareCommand) takes(one ingestCase) bool {
	return one.Target == theServer && one.Name != ours16events && (c.Only == "" || c.Only == one.Name)
}

// newSide starts a binary with a tenant for floods and one that is paged now and then.
func newSide(ctx context.Context, bin string) (*side, error) {
	s := &side{figures: map[string][]float64{}}
	var err error
	if s.rig, err = newIngestRig(ctx, bin); err != nil {
		return s, err
	}
	s.pager = &pageRig{server: s.rig.server, sink: s.rig.sink, next: 0xbe11_0000_0000_0000}
	return s, s.pager.add(ctx, 0)
}

// measure runs every case once.
func (s *side) measure(ctx context.Context, c compareCommand) error {
	if err := s.rig.db.clear(ctx); err != nil {
		return err
	}
	add := func(name string, figure float64) { s.figures[name] = append(s.figures[name], figure) }
	for _, one := range ingestCases {
		if !c.takes(one) {
			continue
		}
		run, err := s.rig.run(ctx, one, c.Seconds)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		add(one.Name+", alerts/s", run.Rate)
		add(one.Name+", p50 ms", run.P50)
		add(one.Name+", CPU s/1000", run.CPUDelivered)
	}
	if err := s.rig.workspace.signIn(ctx); err != nil { // its token is good for a quarter of an hour
		return err
	}
	time.Sleep(time.Second) // until the flood's pages are sent: they take the processor of what follows
	for _, limit := range []int{25, 1000} {
		o, err := drive(ctx, job{
			URLs: []string{s.rig.server.url + "/v1/incidents?limit=" + strconv.Itoa(limit)}, Bearer: s.rig.workspace.token, Concurrency: 1, For: c.Seconds,
		})
		if err != nil {
			return err
		}
		add(fmt.Sprintf("list of %d, p50 ms", limit), o.P50)
	}
	pages, _, err := s.pager.oneByOne(ctx, c.Pages)
	if err != nil {
		return err
	}
	add("page, p50 ms", pages.P50)
	add("page, p90 ms", pages.P90)
	return nil
}

// student are the 97.5% quantiles of Student's t for 2 to 30 rounds.
var student = []float64{
	12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05,
}

func compare(m measure, before, after []float64) comparison {
	n := min(len(before), len(after))
	var sum, squares float64
	for i := range n {
		ratio := math.Log(after[i] / before[i])
		if !m.smallIsGood {
			ratio = -ratio
		}
		sum, squares = sum+ratio, squares+ratio*ratio
	}
	mean := sum / float64(n)
	deviation := math.Sqrt(max(0, squares-sum*mean) / float64(n-1))
	half := student[min(n-2, len(student)-1)] * deviation / math.Sqrt(float64(n))
	return comparison{
		Name: m.name, Before: spreadOf(before, true).Median, After: spreadOf(after, true).Median,
		Cost: round(math.Exp(mean), 3), Low: round(math.Exp(mean-half), 3), High: round(math.Exp(mean+half), 3),
		Loss: math.Exp(mean-half) > 1+slack,
	}
}

func (r compareReport) print() {
	t := table{{fmt.Sprintf("%d rounds, load %.1f to %.1f", r.Rounds, r.LoadBefore, r.LoadAfter), "before", "after", "cost", "95% from", "to", ""}}
	for _, c := range r.Comparisons {
		verdict := ""
		if c.Loss {
			verdict = "SLOWER"
		} else if c.High < 1 {
			verdict = "better"
		}
		t = append(t, []string{c.Name, number(c.Before), number(c.After), number(c.Cost), number(c.Low), number(c.High), verdict})
	}
	t.print()
}
