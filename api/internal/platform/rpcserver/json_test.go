package rpcserver

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// TestJSONIsWhatProtojsonWrites fills every message of the contract at random and
// compares what both write.
func TestJSONIsWhatProtojsonWrites(t *testing.T) {
	random, planned := rand.New(rand.NewPCG(1, 2)), 0
	protoregistry.GlobalTypes.RangeMessages(func(message protoreflect.MessageType) bool {
		if message.Descriptor().ParentFile().Package() != "nightbell.v1" {
			return true
		}
		if planOf(reflect.TypeOf(message.New().Interface())) != nil {
			planned++
		}
		for range 50 {
			filled := message.New()
			fill(random, filled, 4)
			compare(t, filled.Interface())
		}
		return !t.Failed()
	})
	if planned < 100 {
		t.Errorf("only %d messages have a plan", planned)
	}
}

func compare(t *testing.T, message proto.Message) {
	t.Helper()
	ours, err := marshalJSON(message)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := jsonOut.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(ours, &got); err != nil {
		t.Fatalf("%s: %v", ours, err)
	}
	if err := json.Unmarshal(theirs, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\n got %s\nwant %s", message.ProtoReflect().Descriptor().FullName(), ours, theirs)
	}
}

var texts = []string{"", "plain", `"quoted" \ back`, "tab\tline\nbell\a\b\f\r", "ü 🔔 \u2028 <b>&amp;", "\x7f\x00"}

func fill(random *rand.Rand, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		switch {
		case random.IntN(3) == 0:
		case field.IsMap():
			if field.MapValue().Kind() == protoreflect.StringKind {
				for n := range random.IntN(3) {
					m.Mutable(field).Map().Set(protoreflect.ValueOfString(texts[n]).MapKey(), protoreflect.ValueOfString(texts[random.IntN(len(texts))]))
				}
			}
		case field.IsList():
			for range random.IntN(3) {
				if value := some(random, field, m.Mutable(field).List().NewElement, depth); value.IsValid() {
					m.Mutable(field).List().Append(value)
				}
			}
		default:
			if value := some(random, field, func() protoreflect.Value { return m.NewField(field) }, depth); value.IsValid() {
				m.Set(field, value)
			}
		}
	}
}

// some is a random value of a field, or none when it would lie too deep.
func some(random *rand.Rand, field protoreflect.FieldDescriptor, empty func() protoreflect.Value, depth int) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(texts[random.IntN(len(texts))])
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(random.IntN(2) == 0)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(random.Int32() - 1<<30)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64([]float64{0, 0.1, -12345678, 1e-9, 1e22, 42}[random.IntN(6)])
	case protoreflect.MessageKind:
		return someMessage(random, field, empty, depth)
	default:
		return protoreflect.Value{}
	}
}

func someMessage(random *rand.Rand, field protoreflect.FieldDescriptor, empty func() protoreflect.Value, depth int) protoreflect.Value {
	switch field.Message().FullName() {
	case "google.protobuf.Timestamp":
		nanos := []int32{0, 1e6, 123_000_000, 123_456_000, 123_456_789}[random.IntN(5)]
		return protoreflect.ValueOfMessage((&timestamppb.Timestamp{Seconds: random.Int64N(4e9), Nanos: nanos}).ProtoReflect())
	case "google.protobuf.Struct":
		filled, err := structpb.NewStruct(map[string]any{"n": 1.5, "list": []any{"a", nil, true}})
		if err != nil {
			panic(err)
		}
		return protoreflect.ValueOfMessage(filled.ProtoReflect())
	}
	if depth == 0 || field.Message().ParentFile().Package() != "nightbell.v1" {
		return protoreflect.Value{}
	}
	value := empty()
	fill(random, value.Message(), depth-1)
	return value
}

func TestJSONRefusesWhatIsNotUTF8(t *testing.T) {
	if text, err := marshalJSON(&nightbellv1.Reference{Name: "\xff"}); err == nil {
		t.Errorf("%q", text)
	}
}

func BenchmarkListOfAThousand(b *testing.B) {
	response := &nightbellv1.ListIncidentsResponse{}
	for n := range 1000 {
		person := &nightbellv1.Reference{Id: "018f0c3e-0000-7000-8000-000000000001", Name: "Ada Lovelace"}
		response.Incidents = append(response.Incidents, &nightbellv1.IncidentSummary{
			Id: "018f0c3e-0000-7000-8000-000000000001", Number: int32(n), Title: "Error rate of checkout is above 5%",
			Description: "5% of the requests to checkout have failed for 5 minutes.", Status: "resolved", Severity: "critical",
			Service: &nightbellv1.Reference{Id: "018f0c3e-0000-7000-8000-000000000002", Name: "Checkout"}, ServiceName: new("Checkout"), TriggeredAt: timestamppb.Now(),
			AcknowledgedAt: timestamppb.Now(), ResolvedAt: timestamppb.Now(), AcknowledgedBy: person,
		})
	}
	for name, marshal := range map[string]func(proto.Message) ([]byte, error){"ours": marshalJSON, "protojson": jsonOut.Marshal} {
		b.Run(fmt.Sprint(name), func(b *testing.B) {
			for b.Loop() {
				if _, err := marshal(response); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
