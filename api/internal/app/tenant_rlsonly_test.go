//go:build rlsonly

package app

import (
	"context"
	"net/http"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// TestTenantRowLevelSecurityAlone takes the queries' own conditions away: every call is
// made by the other organization's people, so that handlers and stores are given its id
// and its things, but each transaction runs under the setting of ours. What the database
// still shows or lets be changed would be open after one forgotten WHERE.
func TestTenantRowLevelSecurityAlone(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	people := []principal{
		{name: "owner", bearer: c.b.owner()},
		{name: "responder", bearer: c.b.bearers["responder"]},
		{name: "viewer", bearer: c.b.bearers["viewer"]},
		{name: "API key", bearer: c.b.apiKey},
	}
	c.call(c.b.apiKey, http.MethodGet, "/v1/teams", nil) // its first use is noted in its row
	c.startAfresh()
	tested, public, requests, answers := 0, 0, 0, map[int]int{}
	for _, method := range methods() {
		if authzOf(method).GetPublic() || ofAccount[shortName(method)] {
			public++ // runs before an organization is known, or beside all of them: in no tenant transaction
			continue
		}
		ok := t.Run(shortName(method), func(t *testing.T) {
			for _, who := range people {
				requests += c.attemptAlone(t, method, who, answers)
			}
			c.checkUnharmed(t)
			if !c.control(t, method, variantsOf(method.Input())[0], viaREST) && isRead(method) && !showsNothing(method) {
				t.Error("untested: the organization's own owner sees no canary either")
			}
			c.startAfresh()
		})
		if ok {
			tested++
		}
	}
	t.Logf("methods tested / methods that act in an organization: %d / %d (%d are public or of an account), with %d requests; answers by status: %v",
		tested, len(methods())-public, public, requests, answers)
}

// ofAccount are about the caller's own account in whichever organizations, and read by its id as
// nightbell_system; TestTenantIsolation holds them to the caller.
var ofAccount = map[string]bool{
	"AuthService.ListOrganizations": true, "AuthService.ListSessions": true, "AuthService.SwitchOrganization": true,
	"AccountService.GetAccountDuties": true, "AccountService.EraseAccount": true, "AccountService.EraseOrganization": true,
}

func (c *campaign) attemptAlone(t *testing.T, method protoreflect.MethodDescriptor, who principal, answers map[int]int) (requests int) {
	t.Helper()
	ctx := postgres.WithOrgSetting(context.WithoutCancel(t.Context()), c.a.orgID)
	for _, v := range variantsOf(method.Input()) {
		for _, via := range transportsOf(method) {
			fill := filling{variant: v, foreign: c.b.own, own: c.a.own, values: c.values()}
			got := c.send(ctx, sending{via: via, method: method, body: fill.request(method), bearer: who.bearer})
			if leaks := c.leaks(got.whole()); len(leaks) > 0 {
				t.Errorf("%s via %s, naming %s: the answer shows %v", who.name, via, v, leaks)
			}
			answers[got.outcome()]++
			requests++
		}
	}
	return requests
}

// The page of an acknowledge link is no call, and reads as its organization too.
func TestTenantAcknowledgeLinkUnderRowLevelSecurityAlone(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	ctx := postgres.WithOrgSetting(context.WithoutCancel(t.Context()), c.a.orgID)
	link := "/ack/" + notify.MintAck(c.box.Derive(acknowledgeLinks), c.b.linkClaims())
	for _, verb := range []string{http.MethodGet, http.MethodPost} {
		if got := c.within(ctx, verb, link, "", nil, "Sec-Fetch-Site", "same-origin"); got.status != http.StatusNotFound || len(c.leaks(got.body)) > 0 {
			t.Errorf("%s the link answers %d and shows %v", verb, got.status, c.leaks(got.body))
		}
	}
	c.checkUnharmed(t)
	if got := c.get(link, ""); got.status != http.StatusOK || !canaries.MatchString(got.body) {
		t.Errorf("untested: the link itself is answered %s", got.whole())
	}
}

// A calendar is no call either.
func TestTenantCalendarFeedUnderRowLevelSecurityAlone(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	ctx := postgres.WithOrgSetting(context.WithoutCancel(t.Context()), c.a.orgID)
	theirs := c.b.calendar()
	c.startAfresh() // that their owner read the address is noted
	if got := c.within(ctx, http.MethodGet, theirs, "", nil); got.status != http.StatusNotFound || len(c.leaks(got.body)) > 0 {
		t.Errorf("the address answers %d and shows %v", got.status, c.leaks(got.body))
	}
	c.checkUnharmed(t)
	if got := c.get(theirs, ""); got.status != http.StatusOK || !canaries.MatchString(got.body) {
		t.Errorf("untested: the address itself is answered %s", got.whole())
	}
}
