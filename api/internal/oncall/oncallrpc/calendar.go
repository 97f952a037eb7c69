package oncallrpc

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// ListCalendarFeeds gives the feeds of schedules and the caller's own.
func (h *Handler) ListCalendarFeeds(ctx context.Context, _ *nightbellv1.ListCalendarFeedsRequest) (*nightbellv1.ListCalendarFeedsResponse, error) {
	response := &nightbellv1.ListCalendarFeedsResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) (err error) {
		response.CalendarFeeds, err = h.feeds(ctx, w)
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
		feeds, err := h.feeds(ctx, w)
		for _, feed := range feeds {
			if feed.GetId() == feedID.String() {
				response.CalendarFeed = feed
			}
		}
		return err
	})
	return response, err
}

// putFeed stores a new address for a schedule, or for the caller's own shifts.
func (h *Handler) putFeed(ctx context.Context, w *work, scheduleID *uuid.UUID) (uuid.UUID, error) {
	token := newFeedToken()
	if scheduleID == nil {
		return w.PutPersonFeed(ctx, oncalldb.PutPersonFeedParams{
			OrgID: w.orgID, ID: id.New(), UserID: w.caller.UserID, Now: w.now,
			Hash: hashFeedToken(token), Sealed: h.box.Seal([]byte(token), feedPlace(w.orgID, w.caller.UserID)),
		})
	}
	return w.PutScheduleFeed(ctx, oncalldb.PutScheduleFeedParams{
		OrgID: w.orgID, ID: id.New(), ScheduleID: *scheduleID, CreatedBy: w.caller.UserID, Now: w.now,
		Hash: hashFeedToken(token), Sealed: h.box.Seal([]byte(token), feedPlace(w.orgID, *scheduleID)),
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
func (h *Handler) feeds(ctx context.Context, w *work) ([]*nightbellv1.CalendarFeed, error) {
	rows, err := w.ListFeeds(ctx, w.orgID, w.caller.UserID)
	list := make([]*nightbellv1.CalendarFeed, len(rows))
	for i, row := range rows {
		list[i] = h.feedMessage(w, row)
	}
	return list, err
}

func (h *Handler) feedMessage(w *work, row oncalldb.ListFeedsRow) *nightbellv1.CalendarFeed {
	feed := &nightbellv1.CalendarFeed{
		Id: row.ID.String(), Kind: "schedule", Schedule: reference(row.ScheduleID, row.ScheduleName),
		CreatedAt: timestamppb.New(row.CreatedAt),
	}
	owner := w.caller.UserID
	if row.ScheduleID != nil {
		owner = *row.ScheduleID
	} else {
		feed.Kind = "user"
	}
	if row.LastUsedAt != nil {
		feed.LastUsedAt = timestamppb.New(*row.LastUsedAt)
	}
	// An address that does not open (another data key) is shown as missing; rotating it fixes that.
	if token, err := h.box.Open(row.Sealed, feedPlace(w.orgID, owner)); err == nil {
		feed.Url = h.publicURL + "/calendar/" + string(token) + feedSuffix
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

// hashFeedToken is what is stored and looked up. A fast hash is enough for 256 random bits.
func hashFeedToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// feedPlace is what the sealed token of a schedule's or person's feed is bound to.
func feedPlace(orgID, owner uuid.UUID) string {
	return "calendar_feed/" + orgID.String() + "/" + owner.String()
}
