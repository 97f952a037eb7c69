package authrpc

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
)

const (
	// strangersPerMinute is of one network: 9,000 people behind one address renew their sessions every
	// 15 minutes. On the loopback interface everybody behind a proxy on this machine looks the same.
	strangersPerMinute      = 600
	localStrangersPerMinute = 6000
)

// strangerQuota counts the calls of nobody in particular for their network, before they are read, and
// refuses those beyond the quota. Sign-up and sign-in count for themselves: too many wait for their
// turn, so that nobody else locks out the person on call. Others of the network use up what is left,
// so answers do not say it.
type strangerQuota struct{ networks, local *callquota.Quota }

func newStrangerQuota(now func() time.Time) strangerQuota {
	return strangerQuota{callquota.New("strangers", strangersPerMinute, now), callquota.New("strangers", localStrangersPerMinute, now)}
}

func (q strangerQuota) of(peer netip.Addr) (quota *callquota.Quota, network uuid.UUID) {
	quota = q.networks
	if peer.IsLoopback() {
		quota = q.local
	}
	return quota, uuid.NewSHA1(uuid.Nil, []byte(networkOf(peer)))
}

func (q strangerQuota) count(peer netip.Addr) error {
	quota, network := q.of(peer)
	return quota.Count(network, http.Header{})
}

// spent refuses who has no call left, and counts nothing.
func (q strangerQuota) spent(peer netip.Addr) error {
	quota, network := q.of(peer)
	return quota.Spent(network, http.Header{})
}

func countsForItself(procedure string) bool {
	return procedure == nightbellv1connect.AuthServiceRegisterProcedure || procedure == nightbellv1connect.AuthServiceLoginProcedure
}
