package escalationrpc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestMaintenanceWindows(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	d.Clock.Freeze(now)
	create := func(start, end time.Time, services ...uuid.UUID) (*nightbellv1.MaintenanceWindow, error) {
		request := &nightbellv1.CreateMaintenanceWindowRequest{Description: "Moving", ServiceIds: []string{d.checkout.String()}}
		for _, service := range services {
			request.ServiceIds = append(request.ServiceIds, service.String())
		}
		if !start.IsZero() {
			request.StartsAt = timestamppb.New(start)
		}
		if !end.IsZero() {
			request.EndsAt = timestamppb.New(end)
		}
		made, err := d.maintenance.CreateMaintenanceWindow(d.ctx, request)
		return made.GetMaintenanceWindow(), err
	}
	for words, times := range map[string][2]time.Time{
		"Say when the work ends": {},
		"after now":              {now.Add(-2 * time.Hour), now},
		"after it starts":        {now.Add(2 * time.Hour), now.Add(time.Hour)},
		"at most 31 days":        {now, now.AddDate(0, 0, 31).Add(time.Second)},
	} {
		_, err := create(times[0], times[1])
		refused(t, err, fault.Unprocessable, words)
	}
	_, err := create(now, now.Add(time.Hour), id.New())
	refused(t, err, fault.Unprocessable, "One of these services does not exist.")
	if left := pgtest.One[int](t, d.Database, `SELECT count(*) FROM maintenance_window`); left != 0 {
		t.Errorf("%d windows were made", left)
	}

	running, err := create(time.Time{}, now.AddDate(0, 0, 31), d.search, d.checkout)
	if err != nil || running.GetStatus() != "under_way" || namesOf(running.GetServices()) != "Checkout, Search" ||
		running.GetServiceIds()[0] != d.checkout.String() || running.GetCreatedBy().GetName() != "Mara" || !running.GetStartsAt().AsTime().Equal(now) {
		t.Fatalf("%v, %v", running, err)
	}
	later, err := create(now.Add(time.Hour), now.Add(2*time.Hour))
	if err != nil || later.GetStatus() != "scheduled" {
		t.Fatalf("%v, %v", later, err)
	}
	states := func() (list []string) {
		answer, err := d.maintenance.ListMaintenanceWindows(d.ctx, &nightbellv1.ListMaintenanceWindowsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, window := range answer.GetMaintenanceWindows() {
			list = append(list, window.GetStatus())
		}
		return list
	}
	if got := strings.Join(states(), ", "); got != "under_way, scheduled" {
		t.Errorf("they are %s", got)
	}
	for range 2 { // a repeat changes nothing
		for _, window := range []*nightbellv1.MaintenanceWindow{later, running} {
			ended, err := d.maintenance.EndMaintenanceWindow(d.ctx, &nightbellv1.EndMaintenanceWindowRequest{Id: window.GetId()})
			if w := ended.GetMaintenanceWindow(); err != nil || w.GetStatus() != "ended" || !w.GetEndsAt().AsTime().Equal(now) || w.GetStartsAt().AsTime().After(now) {
				t.Errorf("%v, %v", ended, err)
			}
		}
	}
	if got := strings.Join(states(), ", "); got != "ended, ended" {
		t.Errorf("they are %s", got)
	}
	_, err = d.maintenance.EndMaintenanceWindow(d.ctx, &nightbellv1.EndMaintenanceWindowRequest{Id: "nonsense"})
	refused(t, err, fault.NotFound, "Maintenance window not found")
}
