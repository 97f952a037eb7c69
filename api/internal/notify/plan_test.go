package notify

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

var seeded = flag.Uint64("seed", 0, "run the same random cases again; 0 chooses new ones")

func randomCases(t *testing.T) *rand.Rand {
	t.Helper()
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	return rand.New(rand.NewPCG(seed, 0))
}

var (
	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	mail  = uuid.UUID{1}
	chat  = uuid.UUID{2}
	phone = uuid.UUID{3}
)

func TestPlan(t *testing.T) {
	rules := []Rule{
		{phone, Voice, "high", 5 * time.Minute, false},
		{mail, Email, "high", 0, false},
		{chat, Slack, "high", 0, false},
		{mail, Email, "high", 0, false},
		{mail, Email, "high", 10 * time.Minute, false},
		{mail, Email, "low", 15 * time.Minute, false},
	}
	for _, test := range []struct {
		name    string
		rules   []Rule
		urgency string
		want    []Planned
	}{
		{"by time, each once, repeats counted", rules, "high", []Planned{
			{mail, Email, noon, 0},
			{chat, Slack, noon, 0},
			{phone, Voice, noon.Add(5 * time.Minute), 0},
			{mail, Email, noon.Add(10 * time.Minute), 1},
		}},
		{"only the rules of this urgency", rules, "low", []Planned{{mail, Email, noon.Add(15 * time.Minute), 0}}},
		{"the other urgency rather than nobody", rules[:1], "low", []Planned{{phone, Voice, noon.Add(5 * time.Minute), 0}}},
		{
			"the other urgency counts equal rules once",
			[]Rule{{mail, Email, "high", 0, false}, {mail, Email, "middling", 0, false}},
			"low",
			[]Planned{{mail, Email, noon, 0}},
		},
		{"no time in the past", []Rule{{mail, Email, "high", -time.Hour, false}}, "high", []Planned{{mail, Email, noon, 0}}},
		{"nothing from nothing", nil, "high", nil},
		{"not what has no rule beside what has", []Rule{{mail, Email, "high", 0, false}, {chat, Slack, "", 0, false}}, "high", []Planned{{mail, Email, noon, 0}}},
		{
			"what has no rule where nothing else is confirmed",
			[]Rule{{mail, Email, "high", time.Minute, true}, {chat, Slack, "", 0, false}, {phone, Email, "", 0, true}},
			"high",
			[]Planned{{chat, Slack, noon, 0}, {mail, Email, noon.Add(time.Minute), 0}},
		},
		{
			"the other urgency where nothing of this one is confirmed",
			[]Rule{{mail, Email, "high", 0, true}, {phone, Voice, "low", time.Minute, false}, {chat, Slack, "", 0, false}},
			"high",
			[]Planned{{mail, Email, noon, 0}, {phone, Voice, noon.Add(time.Minute), 0}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Plan(test.rules, test.urgency, noon); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

func TestPlanProperties(t *testing.T) {
	random := randomCases(t)
	for range 5_000 {
		rules := randomRules(random)
		before := slices.Clone(rules)
		plan := Plan(rules, "high", noon)
		if !reflect.DeepEqual(rules, before) {
			t.Fatalf("Plan changed its input %v", before)
		}
		random.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
		if again := Plan(rules, "high", noon); !reflect.DeepEqual(again, plan) {
			t.Fatalf("the order of %v matters:\n%v\n%v", rules, plan, again)
		}
		checkPlan(t, rules, plan)
	}
}

func checkPlan(t *testing.T, rules []Rule, plan []Planned) {
	t.Helper()
	if len(rules) > 0 && len(plan) == 0 {
		t.Fatalf("nobody is paged by %v", rules)
	}
	confirmed := func(page Planned) bool { return page.ContactMethodID[0] == 0 }
	if Reaches(rules) && !slices.ContainsFunc(plan, confirmed) {
		t.Fatalf("by %v somebody is paged at addresses that are not confirmed alone: %v", rules, plan)
	}
	type identity struct {
		contact uuid.UUID
		n       int
	}
	seen := map[identity]bool{}
	for i, page := range plan {
		key := identity{page.ContactMethodID, page.N}
		if seen[key] || page.DueAt.Before(noon) || i > 0 && page.DueAt.Before(plan[i-1].DueAt) {
			t.Fatalf("%v: page %d of %v is twice, early or out of order", rules, i, plan)
		}
		seen[key] = true
	}
}

func randomRules(random *rand.Rand) []Rule {
	rules := make([]Rule, random.IntN(8))
	for i := range rules {
		rules[i] = Rule{
			ContactMethodID: uuid.UUID{byte(random.IntN(3))},
			Kind:            Email,
			Urgency:         []string{"high", "low", ""}[random.IntN(3)],
			Delay:           time.Duration(random.IntN(4)-1) * time.Minute,
		}
		rules[i].Unconfirmed = rules[i].ContactMethodID[0] > 0
	}
	return rules
}

func TestOrder(t *testing.T) {
	incidents := []Incident{
		{Number: 1, Severity: alert.Low, TriggeredAt: noon.Add(time.Hour)},
		{Number: 2, Severity: alert.Critical, TriggeredAt: noon},
		{Number: 3, Severity: alert.High, TriggeredAt: noon},
		{Number: 4, Severity: alert.Critical, TriggeredAt: noon.Add(time.Minute)},
		{Number: 5, Severity: alert.Critical, TriggeredAt: noon},
	}
	Order(incidents)
	var got []int
	for _, incident := range incidents {
		got = append(got, incident.Number)
	}
	if want := []int{4, 5, 2, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
