// Package explain tells who would be paged, and why: what escalation foresees, with the
// names of people and contacts, as the API answers it. It only reads, and pages nobody.
// Entry file: explain.go; why.go tells of pages that were sent.
package explain

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Answer gives the people and contacts of what is foreseen their names, and says all of it
// in words. verifyMail says that e-mail addresses are paged only once they are confirmed.
func Answer(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, f paging.Foresight, verifyMail bool) (*nightbellv1.ExplainResponse, error) {
	t := &answer{Foresight: f, verifyMail: verifyMail}
	if err := t.load(ctx, tx, orgID); err != nil {
		return nil, err
	}
	response := &nightbellv1.ExplainResponse{
		Service: reference(f.ServiceID, f.ServiceName), EscalationPolicy: reference(f.Policy.ID, f.Policy.Name),
		Severity: string(f.Severity), At: timestamppb.New(f.At),
		HoldEndsAt: moment(f.Hold.Until), HoldReason: postgres.Null(f.Hold.Because),
	}
	for _, decision := range f.Ahead {
		response.Moments = append(response.Moments, t.moments(decision)...)
	}
	response.Summary = t.summary(response.GetMoments())
	return response, nil
}

// answer is an explanation under way.
type answer struct {
	paging.Foresight

	verifyMail bool
	people     map[uuid.UUID]string
	contacts   map[uuid.UUID]contact
}

type contact struct {
	kind, name, hint string
	// unverified is set for an e-mail address whose link nobody has opened.
	unverified bool
}

// load reads the names, with one statement for people and one for contacts.
func (t *answer) load(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) error {
	t.people, t.contacts = map[uuid.UUID]string{}, map[uuid.UUID]contact{}
	var people, contacts []uuid.UUID
	for _, decision := range t.Ahead {
		for _, effect := range decision.Effects {
			if !effect.Pages() {
				continue
			}
			people = append(people, effect.UserID)
			for _, rule := range t.Rules(effect) {
				contacts = append(contacts, rule.ContactMethodID)
			}
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(`SELECT id, name FROM users WHERE id = ANY($1)`, people).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var name string
		_, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error { t.people[id] = name; return nil })
		return err
	})
	batch.Queue(`SELECT id, kind, name, hint, kind = 'email' AND verified_at IS NULL FROM contact_method WHERE org_id = $1 AND id = ANY($2)`, orgID, contacts).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		var c contact
		_, err := pgx.ForEachRow(rows, []any{&id, &c.kind, &c.name, &c.hint, &c.unverified}, func() error { t.contacts[id] = c; return nil })
		return err
	})
	return tx.SendBatch(ctx, batch).Close()
}

// outcomes are how the API calls effects.
var outcomes = map[escalation.EffectKind]string{
	escalation.PagePerson: "paged", escalation.PageChannel: "paged",
	escalation.NobodyOnCall: "skipped", escalation.StepSkipped: "skipped",
	escalation.LastResort: "last_resort", escalation.PagesNobody: "pages_nobody",
	escalation.PagesHeld: "held", escalation.RanOut: "exhausted",
}

// moments are what one decision does, one for each step that it comes to.
func (t *answer) moments(decision escalation.Foreseen) (list []*nightbellv1.ExplainMoment) {
	for _, effect := range decision.Effects {
		last := len(list) - 1
		if effect.Pages() && last >= 0 && continues(list[last], effect) {
			list[last].Pages = append(list[last].Pages, t.page(effect, decision.At))
			continue
		}
		m := &nightbellv1.ExplainMoment{
			At: timestamppb.New(decision.At), AfterSeconds: int32(decision.At.Sub(t.At) / time.Second),
			Step: int32(effect.Step + 1), Round: int32(effect.Round + 1), Outcome: outcomes[effect.Kind], Message: effect.Message,
		}
		if effect.Pages() {
			m.Pages = append(m.Pages, t.page(effect, decision.At))
		}
		list = append(list, m)
	}
	for _, m := range list {
		if m.GetOutcome() == "paged" {
			m.Message = pagedMessage(m)
		}
	}
	return list
}

// notConfirmed is why an e-mail address is not paged.
const notConfirmed = "skipped until the address is confirmed by the link that was mailed to it"

// continues reports whether a page belongs to the moment before it.
func continues(m *nightbellv1.ExplainMoment, effect escalation.Effect) bool {
	same := int(m.GetStep()) == effect.Step+1 && int(m.GetRound()) == effect.Round+1
	return same && (m.GetOutcome() == "paged" || m.GetOutcome() == "last_resort")
}

func (t *answer) page(effect escalation.Effect, at time.Time) *nightbellv1.ExplainPage {
	page := &nightbellv1.ExplainPage{Why: why(effect.Why)}
	if effect.UserID != uuid.Nil {
		page.User = reference(effect.UserID, t.people[effect.UserID])
	}
	for _, planned := range notify.Plan(t.Rules(effect), string(incident.UrgencyOf(t.Severity)), at) {
		c := t.contacts[planned.ContactMethodID]
		explained := &nightbellv1.ExplainContact{
			Channel: string(planned.Kind), Name: c.name, Hint: notify.MaskHint(c.hint), At: timestamppb.New(t.Due(at, planned.DueAt)),
		}
		if t.verifyMail && c.unverified && effect.Why.TargetKind != escalation.Owner { // as delivery decides
			explained.SkippedBecause = new(notConfirmed)
		}
		page.Contacts = append(page.Contacts, explained)
	}
	return page
}
