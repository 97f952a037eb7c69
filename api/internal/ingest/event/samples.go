package event

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// Samples are readings of one name of a service.
type Samples struct {
	// ID names the call; it is Nil when the sender gave none, and a repeat then counts again.
	ID   uuid.UUID
	Hash [sha256.Size]byte
	// Service is an id or a name; empty when the key alone says which.
	Service, Name, Unit string
	Points              []catalog.Point
	Warnings            []Warning
}

var sampleShapes = map[string]string{
	"id": "text", "service": "text", "name": "text", "unit": "text",
	"points": `a list such as [{"at": "2026-11-22T03:00:00Z", "value": 0.25}]`,
}

const (
	maxUnit = 32
	// mostValue keeps sums of what is stored finite.
	mostValue = 1e100
	// mostFaults is how many points that are wrong are named.
	mostFaults = 10
)

// ReadSamples makes samples of a decoded body; see Read. Other than of an event, nothing of it is
// cut or left out: a wrong point would make a wrong curve. What does not fit is refused with
// invalid_fields.
func ReadSamples(fields map[string]any, callID string) (Samples, error) {
	s := Samples{Hash: hashOf(fields)}
	r := &reader{fields: fields}
	if fields["id"] != nil || callID != "" {
		s.ID = r.id(callID)
	}
	r.types(sampleShapes)
	s.Service, s.Name, s.Unit = clean(r.text("service")), plaintext.Line(r.text("name")), plaintext.Line(r.text("unit"))
	switch {
	case s.Name == "":
		r.refuse("name", fault.Required, "Give the name of what was measured: latency, error_rate or one of your own.")
	case utf8.RuneCountInString(s.Name) > maxName:
		r.refuse("name", fault.TooLong, fmt.Sprintf("A name has at most %d characters.", maxName))
	}
	if utf8.RuneCountInString(s.Unit) > maxUnit {
		r.refuse("unit", fault.TooLong, fmt.Sprintf("A unit has at most %d characters, such as ms.", maxUnit))
	}
	sent, _ := fields["points"].([]any)
	switch {
	case len(sent) == 0:
		r.refuse("points", fault.Required, `Give the points as a list: [{"at": "2026-11-22T03:00:00Z", "value": 0.25}].`)
	case len(sent) > catalog.MostSamplePoints:
		r.refuse("points", fault.TooLong, fmt.Sprintf("A call brings up to %d points. Send the others in another one.", catalog.MostSamplePoints))
	default:
		s.Points = r.points(sent)
	}
	if len(r.faults) > 0 {
		return Samples{}, fault.InvalidFields(r.faults[0].Message, r.faults...)
	}
	s.Warnings = r.warnings
	return s, nil
}

func (r *reader) points(sent []any) []catalog.Point {
	points := make([]catalog.Point, 0, len(sent))
	for i, one := range sent {
		point, _ := one.(map[string]any)
		text, _ := point["at"].(string)
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			r.refuse(fmt.Sprintf("points[%d].at", i), fault.BadFormat, "The time of each point must be one such as 2026-11-22T03:00:00Z.")
		}
		number, _ := point["value"].(json.Number)
		value, err := number.Float64()
		if err != nil || math.Abs(value) > mostValue {
			r.refuse(fmt.Sprintf("points[%d].value", i), fault.BadFormat, "The value of each point must be a number, and none beyond 1e100.")
		}
		if len(r.faults) >= mostFaults {
			break
		}
		points = append(points, catalog.Point{At: at, Value: value})
	}
	return points
}
