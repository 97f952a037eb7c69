package oncallrpc

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// ListCalendarFeeds gives the feeds of schedules and the caller's own.
func (h *Handler) ListCalendarFeeds(ctx context.Context, request *nightbellv1.ListCalendarFeedsRequest) (*nightbellv1.ListCalendarFeedsResponse, error) {
	response := &nightbellv1.ListCalendarFeedsResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		feeds, err := w.feeds(ctx)
		if err != nil {
			return err
		}
		response.CalendarFeeds, response.NextCursor, err = page.Cut(w.orgID, "calendar_feeds", feeds, cmp.Or(int(request.GetLimit()), page.Longest), request.GetCursor(),
			func(feed *nightbellv1.CalendarFeed) string {
				return fmt.Sprint(feed.GetSchedule() != nil, strings.ToLower(feed.GetSchedule().GetName()), " ", feed.GetId())
			})
		return err
	}, postgres.ReadOnly())
	return response, err
}

// RotateCalendarFeed gives a feed a new address.
func (h *Handler) RotateCalendarFeed(ctx context.Context, request *nightbellv1.RotateCalendarFeedRequest) (*nightbellv1.RotateCalendarFeedResponse, error) {
	response := &nightbellv1.RotateCalendarFeedResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		scheduleID, err := w.scheduleOr(ctx, request.GetScheduleId())
		if err != nil {
			return err
		}
		feedID, err := h.putFeed(ctx, w, scheduleID)
		if err != nil {
			return err
		}
		if response.CalendarFeed, err = w.feed(ctx, feedID); err == nil {
			response.Url, err = h.feedURL(ctx, w, feedID)
		}
		return err
	})
	return response, err
}

// GetCalendarFeed gives a feed that the caller may see.
func (h *Handler) GetCalendarFeed(ctx context.Context, request *nightbellv1.GetCalendarFeedRequest) (*nightbellv1.GetCalendarFeedResponse, error) {
	response := &nightbellv1.GetCalendarFeedResponse{}
	feedID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, w *work) (err error) {
		response.CalendarFeed, err = w.feed(ctx, feedID)
		return err
	}, postgres.ReadOnly())
	return response, err
}

// GetCalendarFeedKey shows the address of a feed that the caller may see.
func (h *Handler) GetCalendarFeedKey(ctx context.Context, request *nightbellv1.GetCalendarFeedKeyRequest) (*nightbellv1.GetCalendarFeedKeyResponse, error) {
	response := &nightbellv1.GetCalendarFeedKeyResponse{}
	feedID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, w *work) (err error) {
		response.Url, err = h.feedURL(ctx, w, feedID)
		return err
	}, postgres.ReadOnly())
	return response, err
}

// feedURL opens the address of a feed. One that does not open (another data key) is as good as
// none; rotating it fixes that.
func (h *Handler) feedURL(ctx context.Context, w *work, feedID uuid.UUID) (string, error) {
	rows, err := w.ListFeeds(ctx, w.orgID, w.caller.UserID)
	for _, row := range rows {
		if row.ID != feedID {
			continue
		}
		owner := w.caller.UserID
		if row.ScheduleID != nil {
			owner = *row.ScheduleID
		}
		if token, err := h.box.Open(row.Sealed, feedPlace(w.orgID, owner)); err == nil {
			return h.publicURL + "/calendar/" + string(token) + feedSuffix, nil
		}
	}
	return "", cmp.Or(err, error(errNoFeed))
}

// putFeed stores a new address for a schedule, or for the caller's own shifts.
func (h *Handler) putFeed(ctx context.Context, w *work, scheduleID *uuid.UUID) (uuid.UUID, error) {
	token := newFeedToken()
	if scheduleID == nil && w.person() == nil {
		return uuid.Nil, fault.InvalidField("schedule_id", fault.Required, "An API key has no shifts of its own. Say which schedule the calendar is for.")
	}
	if scheduleID == nil {
		return w.PutPersonFeed(ctx, oncalldb.PutPersonFeedParams{
			OrgID: w.orgID, ID: id.New(), UserID: w.person(), Now: w.now,
			Hash: auth.HashToken(token), Sealed: h.box.Seal([]byte(token), feedPlace(w.orgID, w.caller.UserID)),
		})
	}
	return w.PutScheduleFeed(ctx, oncalldb.PutScheduleFeedParams{
		OrgID: w.orgID, ID: id.New(), ScheduleID: *scheduleID, CreatedBy: w.person(), Now: w.now,
		Hash: auth.HashToken(token), Sealed: h.box.Seal([]byte(token), feedPlace(w.orgID, *scheduleID)),
	})
}

// DeleteCalendarFeed ends a feed.
func (h *Handler) DeleteCalendarFeed(ctx context.Context, request *nightbellv1.DeleteCalendarFeedRequest) (*nightbellv1.DeleteCalendarFeedResponse, error) {
	feedID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		deleted, err := w.DeleteFeed(ctx, w.orgID, feedID, w.caller.UserID)
		if err == nil && deleted == 0 {
			return errNoFeed
		}
		return err
	})
	return &nightbellv1.DeleteCalendarFeedResponse{}, err
}

// feeds lists those that the caller may see.
func (w *work) feeds(ctx context.Context) ([]*nightbellv1.CalendarFeed, error) {
	rows, err := w.ListFeeds(ctx, w.orgID, w.caller.UserID)
	list := make([]*nightbellv1.CalendarFeed, len(rows))
	for i, row := range rows {
		list[i] = feedMessage(row)
	}
	return list, err
}

func (w *work) feed(ctx context.Context, feedID uuid.UUID) (*nightbellv1.CalendarFeed, error) {
	feeds, err := w.feeds(ctx)
	for _, feed := range feeds {
		if feed.GetId() == feedID.String() {
			return feed, err
		}
	}
	return nil, cmp.Or(err, error(errNoFeed))
}

func feedMessage(row oncalldb.ListFeedsRow) *nightbellv1.CalendarFeed {
	feed := &nightbellv1.CalendarFeed{
		Id: row.ID.String(), Kind: "schedule", Schedule: reference(row.ScheduleID, row.ScheduleName),
		CreatedAt: timestamppb.New(row.CreatedAt),
	}
	if row.ScheduleID == nil {
		feed.Kind = "user"
	}
	if row.LastUsedAt != nil {
		feed.LastUsedAt = timestamppb.New(*row.LastUsedAt)
	}
	return feed
}

// tokenSize is that of the secret in a feed's address, in bytes.
const tokenSize = 32

// newFeedToken makes the secret in a feed's address.
func newFeedToken() string {
	random := make([]byte, tokenSize)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(random)
}

// feedPlace is what the sealed token of a schedule's or person's feed is bound to.
func feedPlace(orgID, owner uuid.UUID) string {
	return "calendar_feed/" + orgID.String() + "/" + owner.String()
}
