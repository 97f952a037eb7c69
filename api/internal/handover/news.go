package handover

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

// newsOf says of which schedules others are on call than at the look before. The order in which a
// schedule names them is no news, and a first look has none.
func newsOf(ctx context.Context, tx pgx.Tx, looks []oncalldb.Look, looked []oncalldb.Looked) (news []subscription.News, err error) {
	var changed []int
	var people []uuid.UUID
	for i, look := range looks {
		if !look.Since.IsZero() && !slices.Equal(sorted(look.Told), sorted(looked[i].Current)) {
			changed = append(changed, i)
			people = slices.Concat(people, look.Told, looked[i].Current)
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	names, err := oncalldb.ReadNames(ctx, tx, people)
	if err != nil {
		return nil, err
	}
	for _, i := range changed {
		schedule, now := looks[i].Schedule, named(looked[i].Current, names)
		news = append(news, subscription.News{
			OrgID: looks[i].OrgID, Type: subscription.OnCallChanged, Message: whoIs(now) + " on call for " + schedule.Name + ".",
			Subject: subscription.Subject{Schedule: &subscription.Named{ID: schedule.ID, Name: schedule.Name}},
			Changes: map[string]subscription.Changed{"on_call": subscription.Diff(named(looks[i].Told, names), now)},
		})
	}
	return news, nil
}

func sorted(people []uuid.UUID) []uuid.UUID {
	return slices.SortedFunc(slices.Values(people), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
}

func named(people []uuid.UUID, names map[uuid.UUID]string) []subscription.Named {
	list := make([]subscription.Named, len(people)) // nobody is [], not null
	for i, one := range people {
		list[i] = subscription.Named{ID: one, Name: names[one]}
	}
	return list
}

func whoIs(people []subscription.Named) string {
	names := make([]string, len(people))
	for i, one := range people {
		names[i] = one.Name
	}
	switch len(people) {
	case 0:
		return "Nobody is"
	case 1:
		return names[0] + " is"
	default:
		return strings.Join(names, ", ") + " are"
	}
}
