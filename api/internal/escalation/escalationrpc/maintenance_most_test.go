package escalationrpc_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

func TestAnOrganizationHasAThousandWindowsThatHaveNotEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	now := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	d.Clock.Freeze(now)
	create := func() (string, error) {
		made, err := d.maintenance.CreateMaintenanceWindow(d.ctx, &nightbellv1.CreateMaintenanceWindowRequest{
			Description: "Moving", ServiceIds: []string{d.checkout.String()}, EndsAt: timestamppb.New(now.Add(time.Hour)),
		})
		return made.GetMaintenanceWindow().GetId(), err
	}
	var last string
	d.Exec(t, `INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_by, created_at)
		SELECT $1, gen_random_uuid(), 'Planned', $3::timestamptz + interval '1 day', $3::timestamptz + interval '2 days', $2, $3::timestamptz FROM generate_series(1, 998)`, d.org, d.owner, now)
	for range 2 {
		var err error
		if last, err = create(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := create()
	refused(t, err, fault.Conflict, "End one, or add the services to one.")
	if _, err := d.maintenance.EndMaintenanceWindow(d.ctx, &nightbellv1.EndMaintenanceWindowRequest{Id: last}); err != nil {
		t.Fatal(err)
	}
	ended := &nightbellv1.UpdateMaintenanceWindowRequest{Id: last, EndsAt: timestamppb.New(now.Add(time.Hour))}
	_, err = d.maintenance.UpdateMaintenanceWindow(d.ctx, ended)
	refused(t, err, fault.Conflict, "Plan another one.")
	if _, err := create(); err != nil {
		t.Errorf("in the place of one that ended: %v", err)
	}
}
