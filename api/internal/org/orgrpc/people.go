package orgrpc

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// people is what a list of users tells besides who they are. It is read in a transaction, with one
// statement each however many people there are, and told after it: computing who is on call keeps no
// connection waiting.
type people struct {
	now       time.Time
	schedules []oncall.Schedule
	teams     []orgdb.TeamsOfRow
	reach     []notifydb.ReachOfRow
	seen      []orgdb.SeenOfRow
}

func readPeople(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, ids []uuid.UUID) (p people, err error) {
	if p.now, err = postgres.Now(ctx, tx); err != nil {
		return p, err
	}
	if p.schedules, err = oncalldb.Load(ctx, tx, orgID, nil, p.now); err != nil {
		return p, err
	}
	if p.teams, err = orgdb.New(tx).TeamsOf(ctx, orgID, ids); err != nil {
		return p, err
	}
	if p.reach, err = notifydb.New(tx).ReachOf(ctx, orgID, ids); err != nil {
		return p, err
	}
	p.seen, err = orgdb.New(tx).SeenOf(ctx, ids)
	return p, err
}

// tell fills in what was read. An e-mail address counts as verified where none has to be.
func (p people) tell(users []*nightbellv1.User, verifyMail bool) {
	byID := make(map[uuid.UUID]*nightbellv1.User, len(users))
	for _, user := range users {
		byID[uuid.MustParse(user.GetId())] = user
	}
	for _, schedule := range p.schedules {
		if !schedule.Active {
			continue
		}
		for _, person := range oncall.At(schedule, p.now).People {
			if user := byID[person]; user != nil {
				user.OnCall = append(user.OnCall, &nightbellv1.Reference{Id: schedule.ID.String(), Name: schedule.Name})
			}
		}
	}
	for _, row := range p.teams {
		if user := byID[row.UserID]; user != nil {
			user.Teams = append(user.Teams, &nightbellv1.Reference{Id: row.ID.String(), Name: row.Name})
		}
	}
	for _, row := range p.reach {
		if user := byID[row.UserID]; user != nil {
			user.ReachedBy = append(user.ReachedBy, &nightbellv1.Reach{
				Kind: row.Kind, Verified: row.Verified || row.Kind != string(notify.Email) || !verifyMail,
				FailingSinceAt: moment(row.FailingSince), TestedAt: moment(row.TestedAt), TestStatus: postgres.Null(row.TestStatus),
			})
		}
	}
	for _, row := range p.seen {
		if user := byID[row.UserID]; user != nil {
			user.LastSeenAt = timestamppb.New(row.SeenAt)
		}
	}
	for _, user := range users {
		slices.SortFunc(user.GetOnCall(), func(a, b *nightbellv1.Reference) int {
			return cmp.Or(strings.Compare(strings.ToLower(a.GetName()), strings.ToLower(b.GetName())), strings.Compare(a.GetId(), b.GetId()))
		})
	}
}
