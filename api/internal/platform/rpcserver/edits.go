package rpcserver

import (
	"context"
	"encoding/json"
	"slices"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

// learnEditable remembers the request that updates a resource, so that every answer with the
// resource in it carries its etag.
func (s *Server) learnEditable(method protoreflect.MethodDescriptor) error {
	if !edit.Is(method.Input()) {
		return nil
	}
	resource := resourceOf(method)
	if resource == nil {
		return nil
	}
	s.editable[resource.FullName()] = method.Input()
	return edit.Check(method.Input(), resource)
}

// showVersion is the first step: the etag of a single resource in the answer is in the header too,
// also when the answer is a stored one.
func (s *Server) showVersion(ctx context.Context, call *Call, message proto.Message, next Next) (proto.Message, error) {
	answer, err := next(ctx, message)
	if err != nil || answer == nil {
		return answer, err
	}
	answer.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if field.Message() != nil && !field.IsMap() && !field.IsList() && s.editable[field.Message().FullName()] != nil {
			call.ResponseHeader.Set("ETag", `"`+edit.Tagged(value.Message())+`"`)
		}
		return true
	})
	return answer, nil
}

var errNoVersion = fault.New(fault.Stale, "etag_mismatch", "This call compares no versions, so it did nothing. Send it without If-Match.")

// versions is the last step of every call: If-Match becomes the etag of a request, what can be
// updated carries its etag in the answer, and addresses are shortened. A call that cannot look at
// If-Match changes nothing; those of the specification do, and warn.
func (s *Server) versions(ctx context.Context, call *Call, message proto.Message, next Next) (proto.Message, error) {
	if given := call.Header.Get("If-Match"); given != "" {
		switch {
		case edit.HasETag(call.Method.Input()):
			edit.SetETag(message.ProtoReflect(), given)
		case call.Authz.GetMutates() && given != "*" && !acceptsUnknown(call.Method):
			return nil, errNoVersion
		}
	}
	answer, err := next(ctx, message)
	if err != nil || answer == nil {
		return answer, err
	}
	answer.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if field.Message() == nil || field.IsMap() {
			return true
		}
		// What is done to a resource is asked once, not for each of a thousand.
		request := s.editable[field.Message().FullName()]
		var addresses []protoreflect.FieldDescriptor
		if !showsWhole(call) {
			addresses = edit.Shortened(field.Message())
		}
		switch {
		case request == nil && addresses == nil:
		case field.IsList():
			for i := range value.List().Len() {
				finish(value.List().Get(i).Message(), request, addresses)
			}
		default:
			finish(value.Message(), request, addresses)
		}
		return true
	})
	return answer, nil
}

// finish makes a resource what the caller is given of it. Its etag is that of the whole.
func finish(resource protoreflect.Message, request protoreflect.MessageDescriptor, addresses []protoreflect.FieldDescriptor) {
	if request != nil {
		edit.Tag(resource, request)
	}
	edit.ShortenAll(resource, addresses)
}

// showsWhole reports whether a method creates what it answers with, or reveals it.
func showsWhole(call *Call) bool {
	location, _ := proto.GetExtension(call.Method.Options(), nightbellv1.E_Location).(string)
	return location != "" || call.Authz.GetReveals()
}

// maskFromBody makes the update_mask of a REST call: the keys of its body, so that null clears.
func maskFromBody(body []byte, message protoreflect.Message) {
	descriptor := message.Descriptor()
	var object map[string]json.RawMessage
	if !edit.Is(descriptor) || json.Unmarshal(body, &object) != nil {
		return
	}
	var names []string
	for key := range object {
		switch field := fieldNamed(descriptor.Fields(), key); {
		case field != nil && edit.IsSettable(field):
			names = append(names, string(field.Name()))
		case field != nil && field.Message() != nil: // update_mask
			noteUnknown(message, []fault.Field{{Path: key, Code: fault.Unknown, Message: "is not needed: the fields in the body are changed, null clears one"}})
		}
	}
	slices.Sort(names)
	edit.SetFields(message, names)
}

// unknownInMask refuses names in update_mask that the request does not have.
func unknownInMask(method protoreflect.MethodDescriptor, message proto.Message) (fields []fault.Field) {
	if !edit.Is(method.Input()) {
		return nil
	}
	for _, name := range edit.Unknown(message) {
		fields = append(fields, fault.Field{Path: "update_mask", Code: fault.Unknown, Message: "names " + printableName(name) + ", which " + cannotBeSet(name, message.ProtoReflect().Descriptor())})
	}
	return fields[:min(len(fields), maxUnknown)]
}

// cannotBeSet says why not: id and etag are fields of the request, though none to set.
func cannotBeSet(name string, request protoreflect.MessageDescriptor) string {
	if request.Fields().ByName(protoreflect.Name(name)) != nil {
		return "cannot be changed: leave it out"
	}
	return doesNotExist(name, request)
}

func printableName(name string) string { return name[:min(len(name), 64)] }

// isLeftOut reports whether a rule is broken by a field that an update does not name: it keeps its
// value, which was held to the rule when it was stored.
func isLeftOut(violation *protovalidate.Violation, named []string) bool {
	path := violation.Proto.GetField().GetElements()
	return len(path) > 0 && !slices.Contains(named, path[0].GetFieldName())
}
