package notifyrpc

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

var (
	errNotYours     = fault.InvalidField("contact_method_id", fault.Missing, "This is none of your own contact methods. A test page wakes nobody else.")
	errNotVerified  = fault.New(fault.Conflict, "contact_method_not_verified", "This address is not confirmed yet. Open the link that was mailed to it first.")
	errTestUnderWay = fault.New(fault.Conflict, "test_page_under_way", "A test page to this contact method is under way. Wait for its receipt.")
	errTooManyTests = fault.Newf(fault.Limited, "too_many_test_pages", "You have sent yourself %d test pages in 10 minutes. Wait a few minutes.", notify.TestPagesAtMost).After(120)
	errNoTestPage   = fault.New(fault.NotFound, "test_page_not_found", "Test page not found")
)

// Waking makes the handler tell that a test page waits.
func (h *Handler) Waking(wake func()) *Handler {
	h.wakeTests = wake
	return h
}

// SendTestPage queues a message to one of the caller's own contact methods.
func (h *Handler) SendTestPage(ctx context.Context, request *nightbellv1.SendTestPageRequest) (*nightbellv1.SendTestPageResponse, error) {
	contactID, _ := id.Parse(request.GetContactMethodId())
	response := &nightbellv1.SendTestPageResponse{}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, now time.Time) error {
		contact, err := q.FindTestable(ctx, caller.OrgID, contactID, caller.UserID)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errNotYours
		case err != nil:
			return err
		case contact.DisabledReason != "":
			return fault.New(fault.Conflict, "contact_method_disabled", "This contact method is not used any more: "+contact.DisabledReason)
		case h.verifyMail && contact.Kind == string(notify.Email) && !contact.Verified:
			return errNotVerified
		}
		count, err := q.CountTestPages(ctx, notifydb.CountTestPagesParams{Since: now.Add(-notify.TestPagesWithin), ContactMethodID: contactID, OrgID: caller.OrgID, UserID: caller.UserID})
		switch {
		case err != nil:
			return err
		case count.UnderWay:
			return errTestUnderWay
		case count.Sent >= notify.TestPagesAtMost:
			return errTooManyTests
		}
		row := notifydb.InsertTestPageParams{OrgID: caller.OrgID, ID: id.New(), ContactMethodID: contactID, UserID: caller.UserID, Channel: contact.Kind, CreatedAt: now}
		response.TestPage = &nightbellv1.TestPage{
			Id: row.ID.String(), ContactMethodId: contactID.String(), Kind: contact.Kind, Status: "queued", CreatedAt: timestamppb.New(now),
		}
		return q.InsertTestPage(ctx, row)
	})
	if err != nil {
		return nil, err
	}
	if h.wakeTests != nil {
		h.wakeTests()
	}
	return response, nil
}

// GetTestPage gives one of the caller's own.
func (h *Handler) GetTestPage(ctx context.Context, request *nightbellv1.GetTestPageRequest) (*nightbellv1.GetTestPageResponse, error) {
	key, _ := id.Parse(request.GetId())
	response := &nightbellv1.GetTestPageResponse{}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		rows, err := q.ListTestPages(ctx, notifydb.ListTestPagesParams{OrgID: caller.OrgID, UserID: caller.UserID, ID: &key})
		if err == nil && len(rows) == 0 {
			return errNoTestPage
		}
		if err == nil {
			response.TestPage = testPageOf(rows[0])
		}
		return err
	})
	return response, err
}

// ListTestPages gives the caller's own, the newest first.
func (h *Handler) ListTestPages(ctx context.Context, request *nightbellv1.ListTestPagesRequest) (*nightbellv1.ListTestPagesResponse, error) {
	caller, _ := auth.ActorFrom(ctx)
	limit := cmp.Or(int(request.GetLimit()), page.Longest)
	asked := notifydb.ListTestPagesParams{OrgID: caller.OrgID, UserID: caller.UserID, Most: new(int32(limit) + 1)}
	if cursor := request.GetCursor(); cursor != "" {
		at, key, err := page.Decode(caller.OrgID, cursor)
		if err != nil {
			return nil, err
		}
		before := uuid.UUID(key)
		asked.Before, asked.BeforeID = &at, &before
	}
	response := &nightbellv1.ListTestPagesResponse{}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		rows, err := q.ListTestPages(ctx, asked)
		rows, response.NextCursor = page.Next(rows, limit, func(last notifydb.ListTestPagesRow) string {
			return page.Encode(caller.OrgID, last.CreatedAt, last.ID)
		})
		for _, row := range rows {
			response.TestPages = append(response.TestPages, testPageOf(row))
		}
		return err
	})
	return response, err
}

func testPageOf(row notifydb.ListTestPagesRow) *nightbellv1.TestPage {
	test := &nightbellv1.TestPage{
		Id: row.ID.String(), ContactMethodId: row.ContactMethodID.String(), Kind: row.Channel, Status: row.Status,
		Detail: postgres.Null(row.Detail), CreatedAt: timestamppb.New(row.CreatedAt),
	}
	if row.FinishedAt != nil {
		test.FinishedAt = timestamppb.New(*row.FinishedAt)
	}
	return test
}
