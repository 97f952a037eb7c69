package escalationrpc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

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
			"Fri 22:00 last_resort Mara by email m…@example.com as owner; Fri 22:05 exhausted"},
		{told(ask(saturday, "high")), "Mara is paged at once.; Sat 22:00 paged Mara by email m…@example.com as user; Sat 22:05 last_resort Mara by email m…@example.com as owner; Sat 22:10 exhausted"},
		{told(ask(saturday, "low")), "No step pages anybody, so the owners are paged: Mara at once.; Sat 22:00 skipped; " +
			"Sat 22:00 last_resort Mara by email m…@example.com as owner; Sat 22:05 exhausted"},
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
		"Sat 22:01 held; Sat 23:00 paged Mara by email m…@example.com as user; Sat 23:05 last_resort Mara by email m…@example.com as owner; Sat 23:10 exhausted"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !held.GetHoldEndsAt().AsTime().Equal(saturday.Add(time.Hour)) || held.GetHoldReason() != "Moving house." {
		t.Errorf("held until %s: %s", held.GetHoldEndsAt().AsTime(), held.GetHoldReason())
	}
	_, err = d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{ServiceId: id.New().String()})
	refused(t, err, fault.Unprocessable, "Service not found")
	_, err = d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{ServiceId: "nonsense"})
	refused(t, err, fault.Unprocessable, "Service not found")
	_, err = d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{EscalationPolicyId: id.New().String()})
	refused(t, err, fault.Unprocessable, "Escalation policy not found")
	_, err = d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{EscalationPolicyId: "nonsense"})
	refused(t, err, fault.Unprocessable, "Escalation policy not found")
	byPolicy, err := d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{
		EscalationPolicyId: made.GetEscalationPolicy().GetId(), Severity: "high", At: timestamppb.New(saturday),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := told(byPolicy), "Mara is paged at once.; Sat 22:00 paged Mara by email m…@example.com as user; Sat 22:05 last_resort Mara by email m…@example.com as owner; Sat 22:10 exhausted"; got != want {
		t.Errorf("asked about the policy alone: got  %s\nwant %s", got, want)
	}
	_, err = d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{At: timestamppb.New(now.AddDate(6, 0, 0))})
	refused(t, err, fault.Unprocessable, "within five years")
	d.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now()`)
	if got := ask(saturday, "high").GetSummary(); got != "Nobody would be paged. Nobody could be reached by Nights, and no owner of the workspace can be reached." {
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

// TestExplainSaysWhoIsSkippedUntilConfirmed: an e-mail address that nobody has confirmed is not
// paged by a step, only as the last resort.
func TestExplainSaysWhoIsSkippedUntilConfirmed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.VerifiesMail()
	steps := d.steps()
	steps[0].Windows = nil
	made, err := d.policies.CreateEscalationPolicy(d.ctx, &nightbellv1.CreateEscalationPolicyRequest{Name: "Days", Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	d.Exec(t, `UPDATE service SET escalation_policy_id = $1`, uuid.MustParse(made.GetEscalationPolicy().GetId()))
	for _, test := range []struct{ verified, summary, message string }{
		{"nightbell_now()", "Mara is paged at once.", "Mara is paged."},
		{
			"NULL", "No step pages anybody, so the owners are paged: Mara at once.",
			"Step 1 of Days was skipped: Mara has no contact method that is confirmed and switched on.",
		},
	} {
		d.Exec(t, `UPDATE contact_method SET verified_at = `+test.verified)
		answer, err := d.policies.Explain(d.ctx, &nightbellv1.ExplainRequest{ServiceId: d.checkout.String(), Severity: "high"})
		if err != nil {
			t.Fatal(err)
		}
		first, last := answer.GetMoments()[0], answer.GetMoments()[1]
		if answer.GetSummary() != test.summary || first.GetMessage() != test.message {
			t.Errorf("verified at %s: %s; %v", test.verified, answer.GetSummary(), first)
		}
		if last.GetOutcome() != "last_resort" || last.GetPages()[0].GetContacts()[0].GetSkippedBecause() != "" {
			t.Errorf("the last resort: %v", last)
		}
	}
}
