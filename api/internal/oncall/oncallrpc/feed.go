package oncallrpc

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// FeedPath is the route of calendars.
	FeedPath   = "/calendar/{file}"
	feedSuffix = ".ics"
	// A calendar shows the shifts of so many days.
	feedBack, feedAhead = 30, 92
	// feedUse is how often the use of a feed is noted.
	feedUse = time.Hour
	// maxConcurrentFeeds is how many calendars are drawn at once, and feedWait how long the
	// others wait: calendars may, pages may not.
	maxConcurrentFeeds = 4
	feedWait           = 5 * time.Second
	// feedUnits bounds the work of one calendar, in units of oncall.Budget: half a second.
	feedUnits = 2_000_000
)

var (
	errDeadFeed = fault.New(fault.NotFound, "calendar_feed_not_found",
		"This calendar address does not work any more. Copy the new one from the on-call page of Nightbell.")
	errFeedsAway = fault.New(fault.Unavailable, "database_unavailable",
		"Nightbell cannot reach its database right now. Try again in a minute.").After(60)
	errFeedsBusy = fault.New(fault.Unavailable, "calendar_busy", "Many calendars are being read right now. Try again soon.").After(30)
)

// Feeds serves calendars to whoever has their secret address.
type Feeds struct {
	db         *postgres.DB
	publicURL  string
	writeError func(http.ResponseWriter, *http.Request, error)
	drawing    chan struct{}
}

// NewFeeds makes the handler of FeedPath. publicURL is where people reach Nightbell,
// without a slash at the end; writeError answers what is refused.
func NewFeeds(db *postgres.DB, publicURL string, writeError func(http.ResponseWriter, *http.Request, error)) *Feeds {
	return &Feeds{db: db, publicURL: publicURL, writeError: writeError, drawing: make(chan struct{}, maxConcurrentFeeds)}
}

// ServeHTTP answers with a calendar, or with a sentence that says why not.
func (f *Feeds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, ok := feedToken(r.PathValue("file"))
	if !ok { // nothing that we ever gave out: no reason to ask the database
		f.writeError(w, r, errDeadFeed)
		return
	}
	select {
	case f.drawing <- struct{}{}:
		defer func() { <-f.drawing }()
	case <-time.After(feedWait):
		f.writeError(w, r, errFeedsBusy)
		return
	case <-r.Context().Done():
		return
	}
	content, err := f.draw(r.Context(), token)
	switch {
	case r.Context().Err() != nil: // nobody reads an answer
	case postgres.IsUnavailable(err):
		f.writeError(w, r, errFeedsAway.Because(err))
	case err != nil:
		f.writeError(w, r, err)
	default:
		writeCalendar(w, r, content)
	}
}

// feedToken reads the secret out of "<secret>.ics".
func feedToken(file string) (string, bool) {
	token, ok := strings.CutSuffix(file, feedSuffix)
	content, err := base64.RawURLEncoding.DecodeString(token)
	return token, ok && err == nil && len(content) == tokenSize
}

func writeCalendar(w http.ResponseWriter, r *http.Request, content []byte) {
	sum := sha256.Sum256(content)
	tag := `W/"` + hex.EncodeToString(sum[:12]) + `"`
	header := w.Header()
	header.Set("ETag", tag)
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex, nofollow")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", "text/calendar; charset=utf-8")
	header.Set("Content-Disposition", `inline; filename="on-call.ics"`)
	_, _ = w.Write(content) // a caller that hung up cannot be told
}

// draw finds whose calendar it is and reads it as that organization. It draws after the
// transaction, so that no connection waits for the computing, and ends when the client has left.
func (f *Feeds) draw(ctx context.Context, token string) ([]byte, error) {
	var feed oncalldb.FindFeedRow
	err := f.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) (err error) {
		feed, err = oncalldb.New(tx).FindFeed(ctx, auth.HashToken(token))
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errDeadFeed
	}
	if err != nil {
		return nil, err
	}
	var c *calendar
	err = f.db.InTenant(ctx, feed.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		w := &work{Queries: oncalldb.New(tx), tx: tx, orgID: feed.OrgID, now: now}
		if c, err = w.readCalendar(ctx, feed); err != nil {
			return err
		}
		hourAgo := now.Add(-feedUse)
		return w.NoteFeedUse(ctx, oncalldb.NoteFeedUseParams{Now: &now, OrgID: w.orgID, ID: feed.ID, HourAgo: &hourAgo})
	})
	if err != nil {
		return nil, err
	}
	drawn := c.draw(oncall.NewBudget(ctx, feedUnits), f.publicURL+"/oncall")
	return drawn, ctx.Err()
}

// calendar is all that is needed to draw one schedule, or all shifts of a person.
type calendar struct {
	schedules    []oncall.Schedule
	person       uuid.UUID // uuid.Nil for everybody
	names        names
	now, changed time.Time
}

func (w *work) readCalendar(ctx context.Context, feed oncalldb.FindFeedRow) (*calendar, error) {
	c, ids := &calendar{now: w.now}, []uuid.UUID{}
	earliest := w.now.Add(-oncall.Horizon).AddDate(0, 0, -feedBack)
	if feed.ScheduleID != nil {
		ids = append(ids, *feed.ScheduleID)
	} else {
		c.person = *feed.UserID
		of, err := w.ListSchedulesOfPerson(ctx, w.orgID, c.person, earliest)
		if err != nil {
			return nil, err
		}
		ids = append(ids, of...)
	}
	var err error
	if c.schedules, err = oncalldb.Load(ctx, w.tx, w.orgID, ids, earliest); err != nil {
		return nil, err
	}
	if feed.ScheduleID != nil && len(c.schedules) == 0 {
		return nil, errDeadFeed
	}
	if c.names, err = w.namesIn(ctx, c.schedules...); err != nil {
		return nil, err
	}
	c.changed, err = w.LatestChange(ctx, w.orgID, ids)
	return c, err
}

// draw writes the shifts of whole days, so that the same calendar is the same text until
// something changes. A schedule that changes all the time uses its share of the budget only.
func (c *calendar) draw(budget *oncall.Budget, url string) []byte {
	today := c.now.Truncate(24 * time.Hour)
	var events []oncall.Event
	for i, schedule := range c.schedules {
		budget.Share(len(c.schedules)-i, func(share *oncall.Budget) {
			events = append(events, oncall.Events(schedule, c.person, today.AddDate(0, 0, -feedBack), today.AddDate(0, 0, feedAhead),
				func(person uuid.UUID) string { return c.names[person] }, share)...)
		})
	}
	for i := range events {
		events[i].URL = url
	}
	return oncall.Calendar(titleOf(c.schedules, c.names, c.person), events, c.changed)
}

func titleOf(schedules []oncall.Schedule, known names, person uuid.UUID) string {
	if person == uuid.Nil {
		return "On call: " + schedules[0].Name
	}
	if known[person] == "" { // on no schedule
		return "On call"
	}
	return "On call: " + known[person]
}
