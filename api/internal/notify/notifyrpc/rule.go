package notifyrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

var errNoRule = fault.New(fault.NotFound, "notification_rule_not_found", "Notification rule not found")

// errTooManyRules is refused after the rule was written, and undoes it: only then is known whose it would be.
var errTooManyRules = fault.Newf(fault.Conflict, "too_many_notification_rules",
	"There are %d notification rules of this person, and may be no more. Delete one that is not needed.", notify.MostRulesOfPerson)

// sameRule says what to do when a person has the rule already.
func sameRule(err error) error {
	if postgres.ConstraintName(err) != "notification_rule_once_key" {
		return err
	}
	return fault.New(fault.Conflict, "notification_rule_exists", "There is such a rule already. Choose another delay or contact method.").Because(err)
}

// CreateNotificationRule says when a person is told by one of their contact methods.
func (h *Handler) CreateNotificationRule(ctx context.Context, request *nightbellv1.CreateNotificationRuleRequest) (*nightbellv1.CreateNotificationRuleResponse, error) {
	contactID, _ := id.Parse(request.GetContactMethodId())
	rule := &nightbellv1.NotificationRule{
		Id: id.New().String(), ContactMethodId: request.GetContactMethodId(),
		Urgency: request.GetUrgency(), DelaySeconds: request.GetDelaySeconds(),
	}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, now time.Time) error {
		person, err := q.InsertRule(ctx, notifydb.InsertRuleParams{
			ID: uuid.MustParse(rule.GetId()), Urgency: rule.GetUrgency(), DelaySeconds: rule.GetDelaySeconds(), Now: now,
			OrgID: caller.OrgID, ContactMethodID: contactID, UserID: caller.UserID, Everybody: mayAll(caller),
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.InvalidField("contact_method_id", fault.Missing, "Contact method not found")
		}
		if err != nil {
			return err
		}
		rule.UserId = person.String()
		if n, err := q.CountRulesOf(ctx, caller.OrgID, person); err != nil {
			return err
		} else if n > notify.MostRulesOfPerson {
			return errTooManyRules
		}
		return nil
	})
	return &nightbellv1.CreateNotificationRuleResponse{NotificationRule: rule}, sameRule(err)
}

// ListNotificationRules gives those that the caller may see.
func (h *Handler) ListNotificationRules(ctx context.Context, request *nightbellv1.ListNotificationRulesRequest) (*nightbellv1.ListNotificationRulesResponse, error) {
	response := &nightbellv1.ListNotificationRulesResponse{}
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		person, err := personOf(request.GetUserId(), caller)
		if err != nil {
			return err
		}
		rows, err := q.ListRules(ctx, notifydb.ListRulesParams{OrgID: caller.OrgID, CallerID: caller.UserID, Everybody: listed(caller, person), UserID: person})
		if err != nil {
			return err
		}
		rows, response.NextCursor, err = page.Cut(caller.OrgID, "notification_rules", rows, cmp.Or(int(request.GetLimit()), page.Longest), request.GetCursor(),
			func(row notifydb.ListRulesRow) string {
				return fmt.Sprintf("%s %06d %s", row.Urgency, row.DelaySeconds, row.ID)
			})
		for _, row := range rows {
			response.NotificationRules = append(response.NotificationRules, ruleMessage(row))
		}
		return err
	})
	return response, err
}

func ruleMessage(row notifydb.ListRulesRow) *nightbellv1.NotificationRule {
	return &nightbellv1.NotificationRule{
		Id: row.ID.String(), UserId: row.UserID.String(),
		ContactMethodId: row.ContactMethodID.String(), Urgency: row.Urgency, DelaySeconds: row.DelaySeconds,
	}
}

// GetNotificationRule gives one that the caller may see.
func (h *Handler) GetNotificationRule(ctx context.Context, request *nightbellv1.GetNotificationRuleRequest) (*nightbellv1.GetNotificationRuleResponse, error) {
	response := &nightbellv1.GetNotificationRuleResponse{}
	ruleID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) (err error) {
		response.NotificationRule, err = findRule(ctx, q, caller, ruleID)
		return err
	})
	return response, err
}

func findRule(ctx context.Context, q *notifydb.Queries, caller auth.Actor, ruleID uuid.UUID) (*nightbellv1.NotificationRule, error) {
	rows, err := q.ListRules(ctx, notifydb.ListRulesParams{OrgID: caller.OrgID, CallerID: caller.UserID, Everybody: mayAll(caller), ID: &ruleID})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoRule
	}
	return ruleMessage(rows[0]), nil
}

// UpdateNotificationRule changes one of the caller's rules or, for admins, any.
func (h *Handler) UpdateNotificationRule(ctx context.Context, request *nightbellv1.UpdateNotificationRuleRequest) (*nightbellv1.UpdateNotificationRuleResponse, error) {
	response := &nightbellv1.UpdateNotificationRuleResponse{}
	ruleID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		err := lockRule(ctx, q, caller, ruleID)
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.NotificationRule, error) { return findRule(ctx, q, caller, ruleID) }
		response.NotificationRule, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateNotificationRuleRequest) error {
			if whole.GetUrgency() == "" {
				return fault.InvalidField("urgency", fault.Required, "Say for which urgency the rule is: high or low.")
			}
			return q.UpdateRule(ctx, notifydb.UpdateRuleParams{OrgID: caller.OrgID, ID: ruleID, Urgency: whole.GetUrgency(), DelaySeconds: whole.GetDelaySeconds()})
		})
		return err
	})
	return response, sameRule(edit.Done(err))
}

// lockRule keeps others from changing a rule that the caller may change.
func lockRule(ctx context.Context, q *notifydb.Queries, caller auth.Actor, ruleID uuid.UUID) error {
	_, err := q.LockRule(ctx, notifydb.LockRuleParams{OrgID: caller.OrgID, ID: ruleID, UserID: caller.UserID, Everybody: mayAll(caller)})
	if errors.Is(err, pgx.ErrNoRows) {
		return errNoRule
	}
	return err
}

// DeleteNotificationRule removes one of the caller's rules or, for admins, any.
func (h *Handler) DeleteNotificationRule(ctx context.Context, request *nightbellv1.DeleteNotificationRuleRequest) (*nightbellv1.DeleteNotificationRuleResponse, error) {
	ruleID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, q *notifydb.Queries, caller auth.Actor, _ time.Time) error {
		if err := lockRule(ctx, q, caller, ruleID); err != nil {
			return err
		}
		read := func() (*nightbellv1.NotificationRule, error) { return findRule(ctx, q, caller, ruleID) }
		if err := edit.IfMatch[*nightbellv1.UpdateNotificationRuleRequest](request.GetEtag(), read); err != nil {
			return err
		}
		deleted, err := q.DeleteRule(ctx, notifydb.DeleteRuleParams{OrgID: caller.OrgID, ID: ruleID, UserID: caller.UserID, Everybody: mayAll(caller)})
		return orMissing(deleted, err, errNoRule)
	})
	return &nightbellv1.DeleteNotificationRuleResponse{}, err
}
