package escalationrpc_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationrpc"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// desk is an organization with an owner, a service that uses the default policy, and
// another service.
type desk struct {
	*pgtest.Database
	org, owner, checkout, search uuid.UUID
	policies                     *escalationrpc.Handler
	maintenance                  *escalationrpc.Maintenance
	ctx                          context.Context
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{Database: pgtest.New(t), org: id.New(), owner: id.New(), checkout: id.New(), search: id.New()}
	d.policies, d.maintenance = escalationrpc.New(d.DB, true), escalationrpc.NewMaintenance(d.DB)
	d.ctx = auth.WithActor(t.Context(), auth.Actor{Kind: auth.User, UserID: d.owner, OrgID: d.org, Role: auth.Owner})
	d.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, d.org)
	d.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, 'Mara', 'mara@example.com', 'x', nightbell_now())`, d.owner)
	d.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'owner', nightbell_now())`, d.org, d.owner)
	d.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, hint, created_at, verified_at)
		VALUES ($1, $2, $3, 'email', 'Work', 'mara@example.com', 'mara@example.com', nightbell_now(), nightbell_now())`, d.org, id.New(), d.owner)
	for service, name := range map[uuid.UUID]string{d.checkout: "Checkout", d.search: "Search"} {
		d.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, $3, nightbell_now(), nightbell_now())`, d.org, service, name)
	}
	return d
}

func (d *desk) steps() []*nightbellv1.EscalationStep {
	return []*nightbellv1.EscalationStep{{
		DelaySeconds: 300, Assignment: "round_robin", Severities: []string{"critical", "high"},
		Targets: []*nightbellv1.EscalationTarget{{Kind: "user", Id: d.owner.String()}},
		Windows: []*nightbellv1.TimeWindow{{Days: []string{"saturday", "sunday"}, From: "20:00", To: "08:00"}, {From: "12:30", To: "12:30"}},
	}}
}

// refused asserts a refusal of a field.
func refused(t *testing.T, err error, kind fault.Kind, words string) {
	t.Helper()
	refusal, ok := fault.Of(err)
	if !ok || refusal.Kind != kind || !strings.Contains(refusal.Message, words) {
		t.Errorf("got %v, want a refusal about %q", err, words)
	}
}

func TestPoliciesKeepWhatTheyAreGiven(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	made, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{
		Name: "Nights", Steps: d.steps(), AckTimeoutSeconds: 1800, AutoResolveSeconds: 86400, Timezone: "Europe/Berlin",
	})
	if err != nil {
		t.Fatal(err)
	}
	policy := made.GetEscalationPolicy()
	want := d.steps()
	want[0].Targets[0].Name, want[0].Id = "Mara", policy.GetSteps()[0].GetId()
	if policy.GetAckTimeoutSeconds() != 1800 || policy.GetAutoResolveSeconds() != 86400 || policy.GetTimezone() != "Europe/Berlin" ||
		len(policy.GetSteps()) != 1 || !proto.Equal(policy.GetSteps()[0], want[0]) || len(policy.GetUsedBy()) != 0 {
		t.Errorf("%v", policy)
	}
	d.Exec(t, `UPDATE service SET escalation_policy_id = $1`, uuid.MustParse(policy.GetId()))
	got, err := d.policies.GetEscalationPolicy(d.ctx, &nightbellv1.GetEscalationPolicyRequest{Id: policy.GetId()})
	if err != nil || namesOf(got.GetEscalationPolicy().GetUsedBy()) != "Checkout, Search" {
		t.Errorf("%v, %v", got, err)
	}
	_, err = d.policies.DeleteEscalationPolicy(d.ctx, &nightbellv1.DeleteEscalationPolicyRequest{Id: policy.GetId()})
	refused(t, err, fault.Conflict, "Give the service another policy first")

	plain := []*nightbellv1.EscalationStep{{DelaySeconds: 60, Targets: want[0].GetTargets()}}
	changed, err := d.policies.UpdateEscalationPolicy(d.ctx, &nightbellv1.UpdateEscalationPolicyRequest{
		Id: policy.GetId(), Name: "Always", Steps: plain,
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"name", "steps", "timezone", "ack_timeout_seconds", "auto_resolve_seconds"}},
	})
	if p := changed.GetEscalationPolicy(); err != nil || p.GetTimezone() != "UTC" || p.GetAckTimeoutSeconds() != 0 || p.GetAutoResolveSeconds() != 0 ||
		p.GetSteps()[0].GetAssignment() != "everyone" || len(p.GetSteps()[0].GetWindows())+len(p.GetSteps()[0].GetSeverities()) != 0 {
		t.Errorf("%v, %v", changed, err)
	}
}

func TestPoliciesRefuseWhatCannotBe(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	made, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{Name: "Days", Steps: d.steps()})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		words string
		spoil func(*nightbellv1.CreateEscalationPolicyRequest)
	}{
		{"There is no time zone of this name", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.Timezone = "Mars/Olympus" }},
		{"60 to 604800 seconds, or 0", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.AckTimeoutSeconds = 59 }},
		{"60 to 604800 seconds, or 0", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.AckTimeoutSeconds = 604801 }},
		{"300 to 2592000 seconds, or 0", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.AutoResolveSeconds = 299 }},
		{"300 to 2592000 seconds, or 0", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.AutoResolveSeconds = 2592001 }},
	} {
		request := &nightbellv1.CreateEscalationPolicyRequest{Name: "Nights", Steps: d.steps(), AckTimeoutSeconds: 60, AutoResolveSeconds: 300}
		test.spoil(request)
		_, err := d.policies.CreateEscalationPolicy(d.ctx, request)
		refused(t, err, fault.Unprocessable, test.words)
		_, err = d.policies.UpdateEscalationPolicy(d.ctx, &nightbellv1.UpdateEscalationPolicyRequest{
			Id: made.GetEscalationPolicy().GetId(), Name: "Nights", Steps: d.steps(), Timezone: request.GetTimezone(),
			AckTimeoutSeconds: request.GetAckTimeoutSeconds(), AutoResolveSeconds: request.GetAutoResolveSeconds(),
		})
		refused(t, err, fault.Unprocessable, test.words)
	}
	if left := pgtest.One[int](t, d.Database, `SELECT count(*) FROM escalation_policy WHERE name = 'Nights'`); left != 0 {
		t.Errorf("%d policies were made", left)
	}
	for _, seconds := range [][2]int32{{60, 300}, {604800, 2592000}, {0, 0}} {
		_, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{
			Name: id.New().String(), Steps: d.steps(), AckTimeoutSeconds: seconds[0], AutoResolveSeconds: seconds[1],
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestMaintenanceWindows(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	d.Clock.Freeze(now)
	create := func(start, end time.Time, services ...uuid.UUID) (*nightbellv1.MaintenanceWindow, error) {
		request := &nightbellv1.CreateMaintenanceWindowRequest{Description: "Moving", ServiceIds: []string{d.checkout.String()}}
		for _, service := range services {
			request.ServiceIds = append(request.ServiceIds, service.String())
		}
		if !start.IsZero() {
			request.StartsAt = timestamppb.New(start)
		}
		if !end.IsZero() {
			request.EndsAt = timestamppb.New(end)
		}
		made, err := d.maintenance.CreateMaintenanceWindow(d.ctx, request)
		return made.GetMaintenanceWindow(), err
	}
	for words, times := range map[string][2]time.Time{
		"Say when the work ends": {},
		"after now":              {now.Add(-2 * time.Hour), now},
		"after it starts":        {now.Add(2 * time.Hour), now.Add(time.Hour)},
		"at most 31 days":        {now, now.AddDate(0, 0, 31).Add(time.Second)},
	} {
		_, err := create(times[0], times[1])
		refused(t, err, fault.Unprocessable, words)
	}
	_, err := create(now, now.Add(time.Hour), id.New())
	refused(t, err, fault.Unprocessable, "One of these services does not exist.")
	if left := pgtest.One[int](t, d.Database, `SELECT count(*) FROM maintenance_window`); left != 0 {
		t.Errorf("%d windows were made", left)
	}

	running, err := create(time.Time{}, now.AddDate(0, 0, 31), d.search, d.checkout)
	if err != nil || running.GetStatus() != "under_way" || namesOf(running.GetServices()) != "Checkout, Search" ||
		running.GetServiceIds()[0] != d.checkout.String() || running.GetCreatedBy().GetName() != "Mara" || !running.GetStartsAt().AsTime().Equal(now) {
		t.Fatalf("%v, %v", running, err)
	}
	later, err := create(now.Add(time.Hour), now.Add(2*time.Hour))
	if err != nil || later.GetStatus() != "scheduled" {
		t.Fatalf("%v, %v", later, err)
	}
	states := func() (list []string) {
		answer, err := d.maintenance.ListMaintenanceWindows(d.ctx, &nightbellv1.ListMaintenanceWindowsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, window := range answer.GetMaintenanceWindows() {
			list = append(list, window.GetStatus())
		}
		return list
	}
	if got := strings.Join(states(), ", "); got != "under_way, scheduled" {
		t.Errorf("they are %s", got)
	}
	for range 2 { // a repeat changes nothing
		for _, window := range []*nightbellv1.MaintenanceWindow{later, running} {
			ended, err := d.maintenance.EndMaintenanceWindow(d.ctx, &nightbellv1.EndMaintenanceWindowRequest{Id: window.GetId()})
			if w := ended.GetMaintenanceWindow(); err != nil || w.GetStatus() != "ended" || !w.GetEndsAt().AsTime().Equal(now) || w.GetStartsAt().AsTime().After(now) {
				t.Errorf("%v, %v", ended, err)
			}
		}
	}
	if got := strings.Join(states(), ", "); got != "ended, ended" {
		t.Errorf("they are %s", got)
	}
	_, err = d.maintenance.EndMaintenanceWindow(d.ctx, &nightbellv1.EndMaintenanceWindowRequest{Id: "nonsense"})
	refused(t, err, fault.NotFound, "Maintenance window not found")
}

func TestExplain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC) // a Friday
	d.Clock.Freeze(now)
	steps := d.steps()
	steps[0].Windows = steps[0].GetWindows()[:1] // the other one is a whole day
	made, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{Name: "Nights", Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	d.Exec(t, `UPDATE service SET escalation_policy_id = $1`, uuid.MustParse(made.GetEscalationPolicy().GetId()))
	ask := func(at time.Time, severity string) *nightbellv1.ExplainResponse {
		request := &nightbellv1.ExplainRequest{ServiceId: d.checkout.String(), Severity: severity}
		if !at.IsZero() {
			request.At = timestamppb.New(at)
		}
		answer, err := d.policies.Explain(d.ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	told := func(answer *nightbellv1.ExplainResponse) string {
		lines := []string{answer.GetSummary()}
		for _, moment := range answer.GetMoments() {
			line := moment.GetAt().AsTime().Format("Mon 15:04 ") + moment.GetOutcome()
			for _, page := range moment.GetPages() {
				line += " " + page.GetUser().GetName() + " by " + page.GetContacts()[0].GetChannel() + " " + page.GetContacts()[0].GetHint() + " as " + page.GetWhy().GetTargetKind()
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "; ")
	}
	saturday := now.Add(24 * time.Hour)
	for _, test := range []struct{ got, want string }{
		{told(ask(time.Time{}, "")), "No step pages anybody, so the owners are paged: Mara at once.; Fri 22:00 skipped; " +
			"Fri 22:00 last_resort Mara by email mara@example.com as owner; Fri 22:05 exhausted"},
		{told(ask(saturday, "high")), "Mara is paged at once.; Sat 22:00 paged Mara by email mara@example.com as user; Sat 22:05 last_resort Mara by email mara@example.com as owner; Sat 22:10 exhausted"},
		{told(ask(saturday, "low")), "No step pages anybody, so the owners are paged: Mara at once.; Sat 22:00 skipped; " +
			"Sat 22:00 last_resort Mara by email mara@example.com as owner; Sat 22:05 exhausted"},
	} {
		if test.got != test.want {
			t.Errorf("got  %s\nwant %s", test.got, test.want)
		}
	}

	_, err = d.maintenance.CreateMaintenanceWindow(d.ctx, &nightbellv1.CreateMaintenanceWindowRequest{
		Description: "Moving house.", ServiceIds: []string{d.checkout.String()}, StartsAt: timestamppb.New(saturday), EndsAt: timestamppb.New(saturday.Add(time.Hour)),
	})
	if err != nil {
		t.Fatal(err)
	}
	held := ask(saturday.Add(time.Minute), "high")
	if got, want := told(held), "Mara is paged after 59 minutes, because pages are held until then: Moving house.; "+
		"Sat 22:01 held; Sat 23:00 paged Mara by email mara@example.com as user; Sat 23:05 last_resort Mara by email mara@example.com as owner; Sat 23:10 exhausted"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !held.GetHoldEndsAt().AsTime().Equal(saturday.Add(time.Hour)) || held.GetHoldReason() != "Moving house." {
		t.Errorf("held until %s: %s", held.GetHoldEndsAt().AsTime(), held.GetHoldReason())
	}
	_, err = d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{ServiceId: id.New().String()})
	refused(t, err, fault.Unprocessable, "Service not found")
	_, err = d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{ServiceId: "nonsense"})
	refused(t, err, fault.Unprocessable, "Service not found")
	_, err = d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{At: timestamppb.New(now.AddDate(6, 0, 0))})
	refused(t, err, fault.Unprocessable, "within five years")
	d.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now()`)
	if got := ask(saturday, "high").GetSummary(); got != "Nobody would be paged. Nobody is on call for Nights, and no owner of the workspace can be reached." {
		t.Error(got)
	}
}

// TestExplainSaysWhoIsLastAndWhyNobodyIs: the sentence follows the policy's own ending.
func TestExplainSaysWhoIsLastAndWhyNobodyIs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	steps := d.steps()
	steps[0].Windows, steps[0].Severities = nil, []string{"critical"}
	made, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{
		Name: "Nights", Steps: steps, LastResort: "target",
		LastResortTarget: steps[0].GetTargets()[0],
		Quiet:            []*nightbellv1.EscalationQuiet{{Severities: []string{"low"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	policy := made.GetEscalationPolicy()
	d.Exec(t, `UPDATE service SET escalation_policy_id = $1`, uuid.MustParse(policy.GetId()))
	ask := func(severity string) (summary string, outcomes []string) {
		answer, err := d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{ServiceId: d.checkout.String(), Severity: severity})
		if err != nil {
			t.Fatal(err)
		}
		for _, moment := range answer.GetMoments() {
			outcomes = append(outcomes, moment.GetOutcome())
		}
		return answer.GetSummary(), outcomes
	}
	if got, outcomes := ask("low"); !strings.HasPrefix(got, "Nobody would be paged. Nights pages nobody for low incidents at this time") || strings.Join(outcomes, " ") != "pages_nobody" {
		t.Errorf("quiet: %s %q", got, outcomes)
	}
	if got, _ := ask("high"); !strings.HasPrefix(got, "No step pages anybody, so the last resort is paged: Mara at once") {
		t.Errorf("a target: %s", got)
	}
	_, err = d.policies.UpdateEscalationPolicy(d.ctx, &nightbellv1.UpdateEscalationPolicyRequest{
		Id: policy.GetId(), Name: "Nights", Steps: steps, LastResort: "nobody",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := ask("high"); got != "Nobody would be paged: no step pages anybody, and the policy has no last resort." {
		t.Errorf("nobody: %s", got)
	}
}

// The default moves from one policy to another, which frees the first to be deleted.
func TestTheDefaultPolicyCanBeAnother(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	add := func(name string) string {
		made, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{Name: name, Steps: d.steps()})
		if err != nil {
			t.Fatal(err)
		}
		return made.GetEscalationPolicy().GetId()
	}
	first, second := add("First"), add("Second")
	for _, policyID := range []string{first, second} {
		made, err := d.policies.MakeDefaultEscalationPolicy(d.ctx, &nightbellv1.MakeDefaultEscalationPolicyRequest{Id: policyID})
		if err != nil || !made.GetEscalationPolicy().GetIsDefault() {
			t.Fatalf("%v, %v", made, err)
		}
	}
	_, err := d.policies.DeleteEscalationPolicy(d.ctx, &nightbellv1.DeleteEscalationPolicyRequest{Id: second})
	refused(t, err, fault.Conflict, "Make another one the default first")
	if _, err := d.policies.DeleteEscalationPolicy(d.ctx, &nightbellv1.DeleteEscalationPolicyRequest{Id: first}); err != nil {
		t.Error(err)
	}
	_, err = d.policies.MakeDefaultEscalationPolicy(d.ctx, &nightbellv1.MakeDefaultEscalationPolicyRequest{Id: first})
	refused(t, err, fault.NotFound, "Escalation policy not found")
}

// TestStepsKeepTheirIdentityThroughEdits: by the id that is sent back, or by paging as before.
func TestStepsKeepTheirIdentityThroughEdits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	priya, wei := d.member(t, "Priya"), d.member(t, "Wei")
	step := func(id string, people ...uuid.UUID) *nightbellv1.EscalationStep {
		made := &nightbellv1.EscalationStep{Id: id, DelaySeconds: 300}
		for _, person := range people {
			made.Targets = append(made.Targets, &nightbellv1.EscalationTarget{Kind: "user", Id: person.String()})
		}
		return made
	}
	made, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{Name: "Nights", Steps: []*nightbellv1.EscalationStep{step("", priya), step("", wei)}})
	if err != nil {
		t.Fatal(err)
	}
	policy := made.GetEscalationPolicy()
	first, second := policy.GetSteps()[0].GetId(), policy.GetSteps()[1].GetId()
	changedIn := func() (list []string) {
		return d.texts(t, `SELECT position || ' ' || changed_in || ' ' || id FROM escalation_step ORDER BY position`)
	}
	edit := func(steps ...*nightbellv1.EscalationStep) error {
		_, err := d.policies.UpdateEscalationPolicy(d.ctx, &nightbellv1.UpdateEscalationPolicyRequest{Id: policy.GetId(), Name: "Nights", Steps: steps})
		return err
	}
	for _, test := range []struct {
		name  string
		steps []*nightbellv1.EscalationStep
		want  []string
	}{
		{"moved, without ids", []*nightbellv1.EscalationStep{step("", wei), step("", priya)}, []string{"0 1 " + second, "1 1 " + first}},
		{"another delay", []*nightbellv1.EscalationStep{{Id: first, DelaySeconds: 60, Targets: step("", priya).GetTargets()}}, []string{"0 1 " + first}},
		{"others are paged", []*nightbellv1.EscalationStep{step(first, priya, wei)}, []string{"0 4 " + first}},
	} {
		if err := edit(test.steps...); err != nil {
			t.Fatal(err)
		}
		if got := changedIn(); strings.Join(got, "; ") != strings.Join(test.want, "; ") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	refused(t, edit(step(first, wei), step(first, priya)), fault.Unprocessable, "Another step has this id already")
	refused(t, edit(step(second, wei)), fault.Unprocessable, "This policy has no such step")
	refused(t, edit(step("step 1", wei)), fault.Unprocessable, "This policy has no such step")
}

// TestPoliciesSayWhoIsLastAndWhenNobodyIs keeps last resort and quiet rules, and people
// who are named by e-mail address.
func TestPoliciesSayWhoIsLastAndWhenNobodyIs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	wei := d.member(t, "Wei")
	byEmail := func(email string) *nightbellv1.EscalationTarget {
		return &nightbellv1.EscalationTarget{Kind: "user", Email: &email}
	}
	request := func() *nightbellv1.CreateEscalationPolicyRequest {
		return &nightbellv1.CreateEscalationPolicyRequest{
			Name:       "Nights",
			Steps:      []*nightbellv1.EscalationStep{{DelaySeconds: 300, Targets: []*nightbellv1.EscalationTarget{byEmail("MARA@example.com")}}},
			LastResort: "target", LastResortTarget: byEmail("wei@example.com"),
			Quiet: []*nightbellv1.EscalationQuiet{{Severities: []string{"low"}, Windows: []*nightbellv1.TimeWindow{{From: "22:00", To: "07:00"}}}},
		}
	}
	made, err := d.policies.CreateEscalationPolicy(d.ctx, request())
	if err != nil {
		t.Fatal(err)
	}
	policy, want := made.GetEscalationPolicy(), request()
	if target := policy.GetSteps()[0].GetTargets()[0]; target.GetId() != d.owner.String() || target.GetEmail() != "" || target.GetName() != "Mara" {
		t.Errorf("%v", target)
	}
	if len(policy.GetSteps()) != 1 || policy.GetLastResort() != "target" || policy.GetLastResortTarget().GetId() != wei.String() ||
		len(policy.GetQuiet()) != 1 || !proto.Equal(policy.GetQuiet()[0], want.GetQuiet()[0]) {
		t.Errorf("%v", policy)
	}
	changed, err := d.policies.UpdateEscalationPolicy(d.ctx, &nightbellv1.UpdateEscalationPolicyRequest{
		Id: policy.GetId(), Steps: request().GetSteps(), UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"steps", "last_resort_target", "quiet"}},
	})
	if p := changed.GetEscalationPolicy(); err != nil || p.GetLastResort() != "owners" || p.GetLastResortTarget() != nil || p.GetQuiet() != nil {
		t.Errorf("%v, %v", changed, err)
	}
	for _, test := range []struct {
		field string
		words string
		spoil func(*nightbellv1.CreateEscalationPolicyRequest)
	}{
		{"steps[0].targets[0].email", "Nobody in this workspace has the e-mail address", func(r *nightbellv1.CreateEscalationPolicyRequest) {
			r.Steps[0].Targets[0].Email = new("eve@example.com")
		}},
		{"steps[0].targets[0].email", "Only a user is named by an e-mail address", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.Steps[0].Targets[0].Kind = "team" }},
		{"last_resort_target", "together with last_resort", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.LastResort = "nobody" }},
		{"last_resort_target", "together with last_resort", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.LastResortTarget = nil }},
		{"quiet[0]", "the policy would never page", func(r *nightbellv1.CreateEscalationPolicyRequest) { r.Quiet[0] = &nightbellv1.EscalationQuiet{} }},
	} {
		spoiled := request()
		spoiled.Name = "Other"
		test.spoil(spoiled)
		_, err := d.policies.CreateEscalationPolicy(d.ctx, spoiled)
		refused(t, err, fault.Unprocessable, test.words)
		if refusal, _ := fault.Of(err); refusal == nil || len(refusal.Fields) != 1 || refusal.Fields[0].Path != test.field {
			t.Errorf("%v names %+v, want %s", err, refusal, test.field)
		}
	}
}

func (d *desk) member(t *testing.T, name string) uuid.UUID {
	t.Helper()
	made := id.New()
	d.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1, $2::text, lower($2::text) || '@example.com', 'x', nightbell_now())`, made, name)
	d.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'responder', nightbell_now())`, d.org, made)
	return made
}

func (d *desk) texts(t *testing.T, sql string) (texts []string) {
	t.Helper()
	return strings.Split(pgtest.One[string](t, d.Database, `SELECT string_agg(line, '|') FROM (`+sql+`) AS lines(line)`), "|")
}

// TestExplainSaysWhoIsSkippedUntilConfirmed: an e-mail address that nobody has confirmed is not
// paged by a step, only as the last resort.
func TestExplainSaysWhoIsSkippedUntilConfirmed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	steps := d.steps()
	steps[0].Windows = nil
	made, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{Name: "Days", Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	d.Exec(t, `UPDATE service SET escalation_policy_id = $1`, uuid.MustParse(made.GetEscalationPolicy().GetId()))
	for _, test := range []struct{ verified, summary, message, skipped string }{
		{"nightbell_now()", "Mara is paged at once.", "Mara is paged.", ""},
		{
			"NULL", "No step pages anybody, so the owners are paged: Mara after 5 minutes.", "Mara is skipped: no contact method is confirmed.",
			"skipped until the address is confirmed by the link that was mailed to it",
		},
	} {
		d.Exec(t, `UPDATE contact_method SET verified_at = `+test.verified)
		answer, err := d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{ServiceId: d.checkout.String(), Severity: "high"})
		if err != nil {
			t.Fatal(err)
		}
		first, last := answer.GetMoments()[0], answer.GetMoments()[1]
		if answer.GetSummary() != test.summary || first.GetMessage() != test.message || first.GetPages()[0].GetContacts()[0].GetSkippedBecause() != test.skipped {
			t.Errorf("verified at %s: %s; %v", test.verified, answer.GetSummary(), first)
		}
		if last.GetOutcome() != "last_resort" || last.GetPages()[0].GetContacts()[0].GetSkippedBecause() != "" {
			t.Errorf("the last resort: %v", last)
		}
	}
}

func namesOf(list []*nightbellv1.Reference) string {
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = one.GetName()
	}
	return strings.Join(names, ", ")
}
