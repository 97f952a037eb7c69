package authrpc

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
)

const (
	// strangersPerMinute is of one network: 9,000 people behind one address renew their sessions every
	// 15 minutes. On the loopback interface everybody behind a proxy on this machine looks the same.
	strangersPerMinute      = 600
	localStrangersPerMinute = 6000
)

// newStrangerQuota counts the calls of nobody in particular, before they are read. Sign-up and sign-in count
// for themselves: too many wait for their turn, so that nobody else locks out the person on call.
func newStrangerQuota(now func() time.Time) networkQuota {
	return newNetworkQuota("strangers", strangersPerMinute, localStrangersPerMinute, now, errManyStrangers)
}

// Who is refused may have made one call beside a neighbour's thousands, so these say where to look.
var (
	errManyStrangers = fault.New(fault.Limited, "rate_limited",
		"Too many calls that need no session have come from your network in a minute. Wait for as long as Retry-After says. If a proxy stands in front of Nightbell, name it in NIGHTBELL_TRUSTED_PROXIES, so that not everybody counts as one network.")
	errManyGuesses = fault.New(fault.Limited, "rate_limited",
		"Too many calls with unknown API keys have come from your network in a minute, so this key, which was not used here before, is not looked up. Wait for as long as Retry-After says, and give the program there that has a wrong key a good one. If a proxy stands in front of Nightbell, name it in NIGHTBELL_TRUSTED_PROXIES, so that not everybody counts as one network.")
)

// networkQuota counts calls for the network that they come from, and refuses those beyond the quota. Others of
// the network use up what is left, so answers do not say it.
type networkQuota struct {
	networks, local *callquota.Quota
	refusal         *fault.Error
}

// newNetworkQuota allows so many a minute of each network, and of all that come from this machine.
func newNetworkQuota(name string, perNetwork, local int, now func() time.Time, refusal *fault.Error) networkQuota {
	return networkQuota{callquota.New(name, perNetwork, now), callquota.New(name, local, now), refusal}
}

func (q networkQuota) of(peer netip.Addr) (quota *callquota.Quota, network uuid.UUID) {
	quota = q.networks
	if peer.IsLoopback() {
		quota = q.local
	}
	return quota, networkID(peer)
}

func networkID(peer netip.Addr) uuid.UUID { return uuid.NewSHA1(uuid.Nil, []byte(networkOf(peer))) }

func (q networkQuota) count(peer netip.Addr) error {
	quota, network := q.of(peer)
	return q.inWords(quota.Count(network, http.Header{}))
}

// giveBack takes one off that was counted.
func (q networkQuota) giveBack(peer netip.Addr) {
	quota, network := q.of(peer)
	quota.GiveBack(network)
}

// spent refuses who has no call left, and counts nothing.
func (q networkQuota) spent(peer netip.Addr) error {
	quota, network := q.of(peer)
	return q.inWords(quota.Spent(network, http.Header{}))
}

func (q networkQuota) inWords(err error) error {
	seen, refused := fault.Of(err)
	if !refused {
		return err
	}
	return q.refusal.After(seen.RetryAfterSeconds)
}

func countsForItself(procedure string) bool {
	return procedure == nightbellv1connect.AuthServiceRegisterProcedure || procedure == nightbellv1connect.AuthServiceLoginProcedure
}
