package main

import (
	"slices"
	"strings"
	"testing"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

const (
	text    = descriptorpb.FieldDescriptorProto_TYPE_STRING
	number  = descriptorpb.FieldDescriptorProto_TYPE_INT32
	message = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
)

func rules(r *validate.FieldRules) *descriptorpb.FieldOptions {
	options := &descriptorpb.FieldOptions{}
	proto.SetExtension(options, validate.E_Field, r)
	return options
}

func field(name string, place int32, kind descriptorpb.FieldDescriptorProto_Type, of string, options *descriptorpb.FieldOptions) *descriptorpb.FieldDescriptorProto {
	f := &descriptorpb.FieldDescriptorProto{
		Name: &name, Number: &place, Type: &kind, Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Options: options,
	}
	if of != "" {
		f.TypeName = &of
	}
	return f
}

// door is a service with one resource: Doors are created with a name, listed, and updated.
func door(t *testing.T) protoreflect.ServiceDescriptor {
	t.Helper()
	needed := rules(&validate.FieldRules{Type: &validate.FieldRules_String_{String_: &validate.StringRules{MinLen: proto.Uint64(1), MaxLen: proto.Uint64(200)}}})
	words := rules(&validate.FieldRules{Type: &validate.FieldRules_String_{String_: &validate.StringRules{In: []string{"", "open", "shut"}}}})
	const stamp, mask, of = ".google.protobuf.Timestamp", ".google.protobuf.FieldMask", ".nightbell.v1.Door"
	messages := []*descriptorpb.DescriptorProto{
		{Name: new("Door"), Field: []*descriptorpb.FieldDescriptorProto{
			field("id", 1, text, "", nil), field("name", 2, text, "", nil), field("position", 3, text, "", words),
			field("opened_at", 4, message, stamp, nil), field("etag", 5, text, "", nil),
			field("built_at", 6, message, stamp, rules(&validate.FieldRules{Required: new(true)})),
		}},
		{Name: new("DoorResponse"), Field: []*descriptorpb.FieldDescriptorProto{field("door", 1, message, of, nil)}},
		{Name: new("CreateDoorRequest"), Field: []*descriptorpb.FieldDescriptorProto{
			field("name", 1, text, "", needed), field("position", 2, text, "", words), field("opened_at", 3, message, stamp, nil),
		}},
		{Name: new("UpdateDoorRequest"), Field: []*descriptorpb.FieldDescriptorProto{
			field("id", 1, text, "", nil), field("name", 2, text, "", needed), field("position", 3, text, "", words),
			field("etag", 4, text, "", nil), field("update_mask", 5, message, mask, nil),
		}},
		{Name: new("ListDoorsRequest"), Field: []*descriptorpb.FieldDescriptorProto{
			field("limit", 1, number, "", rules(&validate.FieldRules{Type: &validate.FieldRules_Int32{Int32: &validate.Int32Rules{
				GreaterThan: &validate.Int32Rules_Gte{Gte: 0}, LessThan: &validate.Int32Rules_Lte{Lte: 100},
			}}})), field("since", 2, message, stamp, nil),
		}},
	}
	call := func(name, in string, rule *annotations.HttpRule, authz *nightbellv1.Authz, location string) *descriptorpb.MethodDescriptorProto {
		options := &descriptorpb.MethodOptions{}
		proto.SetExtension(options, annotations.E_Http, rule)
		proto.SetExtension(options, nightbellv1.E_Authz, authz)
		if location != "" {
			proto.SetExtension(options, nightbellv1.E_Location, location)
		}
		return &descriptorpb.MethodDescriptorProto{Name: &name, InputType: new(".nightbell.v1." + in), OutputType: new(".nightbell.v1.DoorResponse"), Options: options}
	}
	file := &descriptorpb.FileDescriptorProto{
		Name: new("door.proto"), Package: new("nightbell.v1"), Syntax: new("proto3"), MessageType: messages,
		Dependency: []string{"google/protobuf/timestamp.proto", "google/protobuf/field_mask.proto"},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("DoorService"), Method: []*descriptorpb.MethodDescriptorProto{
			call("CreateDoor", "CreateDoorRequest", &annotations.HttpRule{Pattern: &annotations.HttpRule_Post{Post: "/v1/doors"}, Body: "*"},
				&nightbellv1.Authz{Role: "admin", Scope: "config:write", Mutates: true}, "/v1/doors/{door.id}"),
			call("UpdateDoor", "UpdateDoorRequest", &annotations.HttpRule{Pattern: &annotations.HttpRule_Patch{Patch: "/v1/doors/{id}"}, Body: "*"},
				&nightbellv1.Authz{Role: "admin", Mutates: true}, ""),
			call("ListDoors", "ListDoorsRequest", &annotations.HttpRule{Pattern: &annotations.HttpRule_Get{Get: "/v1/doors"}}, &nightbellv1.Authz{Public: true}, ""),
			call("KnockDoor", "ListDoorsRequest", &annotations.HttpRule{Pattern: &annotations.HttpRule_Post{Post: "/v1/doors/{limit}/knock"}, Body: "*"},
				&nightbellv1.Authz{Role: "viewer", Mutates: true}, ""),
		}}},
	}
	made, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return made.Services().Get(0)
}

func doors(t *testing.T) *document {
	t.Helper()
	d := &document{}
	addErrors(d, []errorCode{{Code: "door_not_found", Status: 404}, {Code: "etag_mismatch", Status: 412}})
	if err := addServices(d, []protoreflect.ServiceDescriptor{door(t)}); err != nil {
		t.Fatal(err)
	}
	if err := finish(d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAnswersSayWhatIsAlwaysThere(t *testing.T) {
	t.Parallel()
	d := doors(t)
	s := d.Components.Schemas.get("Door")
	if want := []string{"id", "name", "position", "etag", "built_at"}; !slices.Equal(s.Required, want) {
		t.Errorf("a door always has %v, want %v: times that may be missing are not required", s.Required, want)
	}
	if position := s.Properties.get("position"); position.Enum != nil || !slices.Equal(position.Words, []string{"open", "shut"}) {
		t.Errorf("the words of an answer are %v and closed to %v; clients have to take others", position.Words, position.Enum)
	}
	if got := s.Properties.get("opened_at"); got.Type != "string" || got.Format != "date-time" {
		t.Errorf("a time is a %v of format %q", got.Type, got.Format)
	}
	if got := d.Components.Schemas.get("DoorResponse").Required; !slices.Equal(got, []string{"door"}) {
		t.Errorf("the answer always has %v", got)
	}
}

func TestRequestsSayWhatIsNeeded(t *testing.T) {
	t.Parallel()
	s := doors(t).Components.Schemas.get("CreateDoorRequest")
	if !slices.Equal(s.Required, []string{"name"}) || s.AdditionalProperties != false {
		t.Errorf("creating needs %v, and further fields are %v", s.Required, s.AdditionalProperties)
	}
	if got := s.Properties.get("position").Enum; !slices.Equal(got, []any{"open", "shut"}) {
		t.Errorf("the words are %v", got)
	}
}

func TestAPatchNeedsNothingAndNullClears(t *testing.T) {
	t.Parallel()
	d := doors(t)
	s := d.Components.Schemas.get("UpdateDoorRequest")
	switch {
	case s.Properties.has("update_mask"), s.Properties.has("id"):
		t.Errorf("the body has %v: the mask is made of its keys, the id is in the path", s.Properties.names)
	case len(s.Required) > 0:
		t.Errorf("a PATCH needs %v", s.Required)
	case s.Properties.get("name").Type != "string":
		t.Error("null clears a name that must not be empty")
	}
	if got := s.Properties.get("position"); !slices.Equal(got.Type.([]any), []any{"string", "null"}) || !slices.Contains(got.Enum, nil) {
		t.Errorf("a position may be %v of %v", got.Type, got.Enum)
	}
	o := d.Paths.get("/v1/doors/{id}").Operations.get("patch")
	if o.Parameters[1].Ref != "#/components/parameters/If-Match" || !o.Responses.has("412") || !o.Responses.get("200").Headers.has("ETag") {
		t.Errorf("a PATCH takes %v and is answered with %v", o.Parameters, o.Responses.names)
	}
}

func TestOperationsSayHowTheyAreCalledAndAnswered(t *testing.T) {
	t.Parallel()
	d := doors(t)
	create, list := d.Paths.get("/v1/doors").Operations.get("post"), d.Paths.get("/v1/doors").Operations.get("get")
	if create.ID != "doors_create" || list.ID != "doors_list" || d.Paths.get("/v1/doors/{limit}/knock").Operations.get("post").ID != "doors_knock" {
		t.Errorf("operations are named %s and %s", create.ID, list.ID)
	}
	if !create.Responses.has("201") || create.Responses.has("200") || !create.Responses.get("201").Headers.has("Location") || !create.Responses.has("409") {
		t.Errorf("creating is answered with %v", create.Responses.names)
	}
	if last := create.Parameters[len(create.Parameters)-1]; last.Ref != "#/components/parameters/Idempotency-Key" {
		t.Errorf("creating takes %v", create.Parameters)
	}
	if got := *create.Security; len(got) != 2 || got[0]["access_token"][0] != "admin" || got[1]["api_key"][0] != "config:write" {
		t.Errorf("creating needs %v", got)
	}
	if len(*list.Security) != 0 {
		t.Errorf("what everybody may call needs %v", *list.Security)
	}
	var names []string
	for _, p := range list.Parameters {
		names = append(names, p.Name+" "+p.Schema.Format)
	}
	if got := strings.Join(names, ", "); got != "limit int32, since date-time" || list.RequestBody != nil {
		t.Errorf("a list takes %s", got)
	}
}

func TestSummariesAreWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[protoreflect.Name]string{
		"ListOrganizations": "List organizations", "Org": "Organization", "CreateApiKey": "Create API key", "TestSlack": "Test Slack",
	} {
		if got := inWords(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestTwoOperationsOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	d := &document{}
	for _, path := range []string{"/v1/doors", "/v1/windows"} {
		if err := d.add(path, "GET", &operation{ID: "doors_list"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := finish(d); err == nil || !strings.Contains(err.Error(), "doors_list") {
		t.Errorf("got %v", err)
	}
}
