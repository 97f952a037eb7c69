package explain

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// StoredWhy reads the reason that was kept with a page. Pages that are older than
// reasons have none.
func StoredWhy(text []byte) (*nightbellv1.Why, error) {
	var stored escalation.Why
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("read why a page was sent: %w", err)
	}
	if stored.Sentence == "" {
		return nil, nil
	}
	return why(stored), nil
}

func why(of escalation.Why) *nightbellv1.Why {
	return &nightbellv1.Why{
		Sentence: of.Sentence, EscalationPolicy: reference(of.PolicyID, of.PolicyName), Step: int32(of.Step), Round: int32(of.Round),
		TargetKind: string(of.TargetKind), Target: reference(of.TargetID, of.TargetName),
		Because: postgres.Null(string(of.Because)), BecauseName: postgres.Null(of.BecauseName), ShiftStartsAt: moment(of.ShiftStartsAt), ShiftEndsAt: moment(of.ShiftEndsAt),
		Severity: string(of.Severity), DecidedAt: moment(of.DecidedAt),
	}
}

// reference is absent for no id.
func reference(id uuid.UUID, name string) *nightbellv1.Reference {
	if id == uuid.Nil {
		return nil
	}
	return &nightbellv1.Reference{Id: id.String(), Name: name}
}

// moment is absent for no time.
func moment(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
