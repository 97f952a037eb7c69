package escalationrpc_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

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

	d.Exec(t, `UPDATE service SET escalation_policy_id = NULL`)
	d.Exec(t, `INSERT INTO incident (org_id, id, number, escalation_policy_id, title, status, severity, urgency, source, triggered_at, acknowledged_at, updated_at)
		VALUES ($1, $2, 1, $3, 'Disk', 'acknowledged', 'high', 'high', 'api', nightbell_now(), nightbell_now(), nightbell_now())`, d.org, id.New(), uuid.MustParse(policy.GetId()))
	_, err = d.policies.DeleteEscalationPolicy(d.ctx, &nightbellv1.DeleteEscalationPolicyRequest{Id: policy.GetId()})
	refused(t, err, fault.Conflict, "An open incident is paged by this escalation policy")

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
		{"quiet", "no severity that it ever pages", func(r *nightbellv1.CreateEscalationPolicyRequest) {
			r.Quiet = []*nightbellv1.EscalationQuiet{{Severities: []string{"critical", "high"}}, {Severities: []string{"medium", "low"}}}
		}},
		{"quiet", "no severity that it ever pages", func(r *nightbellv1.CreateEscalationPolicyRequest) {
			r.Quiet = []*nightbellv1.EscalationQuiet{{Windows: []*nightbellv1.TimeWindow{{From: "02:30", To: "02:30"}}}}
		}},
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
