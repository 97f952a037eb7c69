package demo

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

//go:embed workspace.yaml
var workspaceYAML []byte

// data is workspace.yaml, which explains itself. It panics when that cannot be read: it is
// part of the program.
var data = sync.OnceValue(func() (d workspaceData) {
	decoder := yaml.NewDecoder(bytes.NewReader(workspaceYAML))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil {
		panic(fmt.Errorf("workspace.yaml: %w", err))
	}
	return d
})

type workspaceData struct {
	Organization, Owner, Guest, Timezone, Program string

	FiredAt  string `yaml:"fired_at"`
	People   []person
	Teams    []team
	Policies []policy
	Hours    map[string]hours

	Schedules   []schedule
	Connected   []string
	Maintenance maintenance
	Services    []service
	Changes     []change
	Incidents   []pastIncident
}

type person struct {
	Name, Mail, Timezone string
	Role                 auth.Role
}

func (p person) first() string { return strings.Fields(p.Name)[0] }
func (p person) email() string { return p.Mail + mailDomain }

type team struct {
	Name, Description string
	Members           []string
}

type policy struct {
	Name, Description string
	Repeats           int32
	AckTimeout        time.Duration `yaml:"ack_timeout"`
	Steps             []step
}

type step struct {
	Wait                  time.Duration
	Schedule, Team, Hours string
	People, Severities    []string
	RoundRobin            bool `yaml:"round_robin"`
	// Before is whom the step paged by name until the newest incident.
	Before []string
}

type hours struct {
	From, To int
	Days     []time.Weekday
}

type schedule struct {
	Name, Description, Team, Policy, Timezone string

	Inactive  bool
	Rotations []rotation
	Overrides []override
}

type rotation struct {
	Name, Hours string
	Turns       []string
}

type override struct {
	Weekday                      time.Weekday
	NextWeek                     bool `yaml:"next_week"`
	From                         int
	Lasts, Ago                   time.Duration
	Person, Replaces, By, Reason string
}

type maintenance struct {
	Service, Description, By string
	Ago, Lasts               time.Duration
}

type service struct {
	Name, Description, Repo, Team, Owner, Policy string

	Tier  int16
	Needs []string
}

type change struct {
	Service, Kind, By, What string
	Ago                     time.Duration
}

// pastIncident ends in ID, by which people call it: "#c41e".
type pastIncident struct {
	ID, Title, Description, Service, By string

	Severity alert.Severity
	Ago      time.Duration
	Alerts   []pastAlert
	Then     []event
	// Tags and Metadata are what a program sends along.
	Tags     map[string]string
	Metadata map[string]any
}

type pastAlert struct {
	Name, Source string
	After        time.Duration
	Times        int
}

// event is one of the things that workspace.yaml lists above the incidents.
type event struct {
	After           time.Duration
	Who, Does, Says string
	Severity        alert.Severity
}

// personBy finds somebody by their first name.
func (d workspaceData) personBy(first string) person {
	return d.People[slices.IndexFunc(d.People, func(p person) bool { return p.first() == first })]
}

// windows are those of the hours of a name; none for no name.
func (d workspaceData) windows(name string) []oncall.Window {
	if name == "" {
		return nil
	}
	h := d.Hours[name]
	return []oncall.Window{{Days: h.Days, From: clock(h.From), To: clock(h.To)}}
}

func clock(hour int) oncall.Clock { return oncall.Clock(hour * 60) }
