package authrpc

import (
	"maps"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// Whoever adds a method that changes incidents says whether it answers them or is counted.
func TestEachChangeOfIncidentsIsAnAnswerOrCounted(t *testing.T) {
	said := slices.Concat(slices.Collect(maps.Keys(answers)), []protoreflect.Name{
		"AddComment", "LinkIncident", "UnlinkIncident", "SubscribeToIncident", "UnsubscribeFromIncident",
	})
	slices.Sort(said)
	var change []protoreflect.Name
	methods := nightbellv1.File_nightbell_v1_incident_service_proto.Services().ByName("IncidentService").Methods()
	for i := range methods.Len() {
		if authz, _ := proto.GetExtension(methods.Get(i).Options(), nightbellv1.E_Authz).(*nightbellv1.Authz); authz.GetMutates() {
			change = append(change, methods.Get(i).Name())
		}
	}
	slices.Sort(change)
	if !slices.Equal(said, change) {
		t.Errorf("answers and what is counted are %v, but %v change incidents", said, change)
	}
}
