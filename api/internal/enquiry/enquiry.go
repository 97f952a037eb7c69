// Package enquiry keeps what visitors of the landing page leave for whoever runs the
// installation: questions to sales, and addresses for news. It belongs to no organization.
package enquiry

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/platform/callquota"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// Kind says what somebody wants.
type Kind string

// What can be wanted.
const (
	Sales Kind = "sales"
	News  Kind = "news"
)

const (
	// perMinute bounds one network, mostPerDay all of them: strangers cannot fill the disk. On the
	// loopback interface everybody behind a proxy on this machine looks the same.
	perMinute      = 6
	localPerMinute = 600
	mostPerDay     = 1000
)

var errFull = fault.Newf(fault.Limited, "rate_limited",
	"More than %d enquiries have come within a day. Write a mail to the address on this page instead, or try again tomorrow.", mostPerDay).After(3600)

// Enquiry is what somebody left.
type Enquiry struct {
	ID                            uuid.UUID
	Kind                          Kind
	Email, Name, Company, Message string
	CreatedAt                     time.Time
}

// Handler implements nightbellv1connect.EnquiryServiceHandler.
type Handler struct {
	db       *postgres.DB
	networks *callquota.Quota
	local    *callquota.Quota
}

// NewHandler makes a handler; now is only compared with itself.
func NewHandler(db *postgres.DB, now func() time.Time) *Handler {
	return &Handler{db: db, networks: callquota.New("enquiries", perMinute, now), local: callquota.New("enquiries", localPerMinute, now)}
}

// SubmitEnquiry keeps an enquiry. The same address for news twice is kept once.
func (h *Handler) SubmitEnquiry(ctx context.Context, request *nightbellv1.SubmitEnquiryRequest) (*nightbellv1.SubmitEnquiryResponse, error) {
	peer := rpcserver.Peer(ctx)
	quota := h.networks
	if peer.IsLoopback() {
		quota = h.local
	}
	if err := quota.Count(networkOf(peer), http.Header{}); err != nil {
		return nil, err
	}
	left, err := cleaned(request)
	if err != nil {
		return nil, err
	}
	err = h.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		left.ID, left.CreatedAt = id.New(), now
		return insert(ctx, tx, left)
	})
	if err != nil {
		return nil, err
	}
	answer := "Thank you. A person answers within one working day."
	if left.Kind == News {
		answer = "Thank you. We write when there is something to tell."
	}
	return &nightbellv1.SubmitEnquiryResponse{Message: answer}, nil
}

func cleaned(request *nightbellv1.SubmitEnquiryRequest) (Enquiry, error) {
	e := Enquiry{
		Kind: Kind(request.GetKind()), Email: strings.TrimSpace(request.GetEmail()), Name: strings.TrimSpace(request.GetName()),
		Company: strings.TrimSpace(request.GetCompany()), Message: strings.TrimSpace(request.GetMessage()),
	}
	for field, text := range map[string]string{"email": e.Email, "name": e.Name, "company": e.Company} {
		if wrong := plaintext.Check(text); wrong != "" {
			return Enquiry{}, fault.InvalidField(field, fault.BadFormat, wrong)
		}
	}
	e.Message = plaintext.Text(e.Message)
	if e.Kind == Sales && e.Message == "" {
		return Enquiry{}, fault.InvalidField("message", fault.Required, "Say in a sentence what you would like to know.")
	}
	return e, nil
}

// networkOf is one caller for an IPv4 address or the /64 of an IPv6 one, which one person has.
func networkOf(peer netip.Addr) uuid.UUID {
	peer = peer.Unmap()
	bits := peer.BitLen()
	if peer.Is6() {
		bits = 64
	}
	network, _ := peer.Prefix(bits) // fails for an invalid address only, which is one network
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(network.String()))
}
