package rpcserver

import (
	"slices"
	"testing"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// A long list of what is not plain makes no long refusal, whichever way it is nested.
func TestTenRefusedFieldsAreEnough(t *testing.T) {
	bad := slices.Repeat([]string{"\x1b"}, 50)
	turns := slices.Repeat([]*nightbellv1.Turn{{UserIds: bad}}, 5)
	rotations := make([]*nightbellv1.Rotation, 20)
	for i := range rotations {
		rotations[i] = &nightbellv1.Rotation{Name: "\x1b", Turns: turns}
	}
	if fields := makePlain((&nightbellv1.CreateMaintenanceWindowRequest{ServiceIds: bad}).ProtoReflect(), "", 0); len(fields) != 10 {
		t.Errorf("%d fields of a list", len(fields))
	}
	if fields := makePlain((&nightbellv1.CreateScheduleRequest{Rotations: rotations}).ProtoReflect(), "", 0); len(fields) < 10 || len(fields) > 30 {
		t.Errorf("%d fields of nested lists", len(fields))
	}
}
