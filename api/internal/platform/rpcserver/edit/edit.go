// Package edit is how every method that updates a resource reads its request: a field that the
// request names is set, one that it names without a value is cleared, and any other stays as it is.
//
// A method that updates is known by its request, which has an etag and an update_mask. Its other
// fields have the names and types that they have in the resource, so that one function can fill in
// what the request leaves out, and one can make the etag.
package edit

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// The fields of a request that are no fields of the resource to set.
const (
	maskField = "update_mask"
	etagField = "etag"
	idField   = "id"
)

// Request is a request to update a resource.
type Request interface {
	proto.Message
	GetEtag() string
	GetUpdateMask() *fieldmaskpb.FieldMask
}

// errUnchanged takes back an update that changes nothing.
var errUnchanged = errors.New("the update changes nothing")

var errMismatch = fault.New(fault.Stale, "etag_mismatch",
	"Somebody else changed this since you read it. Read it again, and make your change on top of theirs.")

// Apply runs an update inside the transaction that has locked the resource: read gives it as stored, write stores the
// completed request. It answers the resource afterwards; an etag that is not the resource's is fault.Stale. The error
// must end the transaction and then go through Done: an update that changes nothing is rolled back.
func Apply[R Request, T proto.Message](request R, read func() (T, error), write func(R) error) (T, error) {
	var none T
	before, err := read()
	if err != nil {
		return none, err
	}
	version := ETag(before, request.ProtoReflect().Descriptor())
	if asked := request.GetEtag(); asked != "" && !matches(asked, version) {
		return none, errMismatch
	}
	if len(Fields(request)) == 0 {
		return before, nil
	}
	if err := write(completed(request, before)); err != nil {
		return none, err
	}
	after, err := read()
	if err != nil {
		return none, err
	}
	if ETag(after, request.ProtoReflect().Descriptor()) == version {
		return before, errUnchanged
	}
	return after, nil
}

// IfMatch refuses to delete a resource that is not as the caller read it: read gives it as it is
// stored, inside the transaction that has locked it. U is the request that updates it. No etag, no
// condition.
func IfMatch[U Request, T proto.Message](etag string, read func() (T, error)) error {
	if etag == "" {
		return nil
	}
	current, err := read()
	if err != nil {
		return err
	}
	var update U
	if !matches(etag, ETag(current, update.ProtoReflect().Descriptor())) {
		return errMismatch
	}
	return nil
}

// Done is the error of a transaction with Apply in it: an update that changes nothing is a success.
func Done(err error) error {
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// completed is a copy of the request that holds the whole resource: what the request does not name
// is as it was before, and so is an address that is sent back as it was shown.
func completed[R Request](request R, before proto.Message) R {
	whole, named := proto.CloneOf(request), Fields(request)
	into, from := whole.ProtoReflect(), proto.Clone(before).ProtoReflect()
	for _, field := range settable(into.Descriptor()) {
		known := from.Descriptor().Fields().ByName(field.Name())
		asShown := known != nil && isShortened(known) && into.Get(field).String() == Shorten(from.Get(known).String())
		if slices.Contains(named, string(field.Name())) && !asShown {
			continue
		}
		into.Clear(field)
		if known != nil && from.Has(known) {
			into.Set(field, from.Get(known))
		}
	}
	SetFields(into, named)
	return whole
}

// Is reports whether messages of this kind ask for an update.
func Is(message protoreflect.MessageDescriptor) bool {
	fields := message.Fields()
	return fields.ByName(maskField) != nil && fields.ByName(etagField) != nil && fields.ByName(idField) != nil
}

// HasETag reports whether a request may say which version it is about.
func HasETag(message protoreflect.MessageDescriptor) bool {
	return message.Fields().ByName(etagField) != nil && message.Fields().ByName(idField) != nil
}

// Check says why a request cannot be about a resource; nil when it can.
func Check(request, resource protoreflect.MessageDescriptor) error {
	for _, field := range settable(request) {
		known := resource.Fields().ByName(field.Name())
		if known == nil || known.Kind() != field.Kind() || known.Cardinality() == protoreflect.Repeated != (field.Cardinality() == protoreflect.Repeated) || known.Message() != field.Message() {
			return fmt.Errorf("%s has no counterpart in %s: what is updated has the same name and type in both", field.FullName(), resource.FullName())
		}
	}
	if resource.Fields().ByName(etagField) == nil {
		return fmt.Errorf("%s needs an etag, because it can be updated", resource.FullName())
	}
	return nil
}

// Fields are the names of what a request sets or clears: those of update_mask or, without one, the
// fields that have a value.
func Fields(request proto.Message) (names []string) {
	message := request.ProtoReflect()
	if mask := maskOf(message); len(mask.GetPaths()) > 0 {
		return mask.GetPaths()
	}
	for _, field := range settable(message.Descriptor()) {
		if message.Has(field) {
			names = append(names, string(field.Name()))
		}
	}
	return names
}

// Names reports whether a request sets or clears the field.
func Names(request proto.Message, field string) bool { return slices.Contains(Fields(request), field) }

// SetFields writes the mask of a request.
func SetFields(message protoreflect.Message, names []string) {
	mask := &fieldmaskpb.FieldMask{Paths: names}
	message.Set(message.Descriptor().Fields().ByName(maskField), protoreflect.ValueOfMessage(mask.ProtoReflect()))
}

// SetETag writes the version that a request is based on.
func SetETag(message protoreflect.Message, etag string) {
	message.Set(message.Descriptor().Fields().ByName(etagField), protoreflect.ValueOfString(etag))
}

// Unknown are the names in update_mask that cannot be updated.
func Unknown(request proto.Message) (names []string) {
	fields := settable(request.ProtoReflect().Descriptor())
	for _, name := range maskOf(request.ProtoReflect()).GetPaths() {
		if !slices.ContainsFunc(fields, func(f protoreflect.FieldDescriptor) bool { return string(f.Name()) == name }) {
			names = append(names, name)
		}
	}
	return names
}

// IsSettable reports whether the field of a request is one of the resource.
func IsSettable(field protoreflect.FieldDescriptor) bool {
	switch field.Name() {
	case maskField, etagField, idField:
		return false
	}
	return true
}

func settable(message protoreflect.MessageDescriptor) (list []protoreflect.FieldDescriptor) {
	fields := message.Fields()
	for i := range fields.Len() {
		if IsSettable(fields.Get(i)) {
			list = append(list, fields.Get(i))
		}
	}
	return list
}

func maskOf(message protoreflect.Message) *fieldmaskpb.FieldMask {
	mask, _ := message.Get(message.Descriptor().Fields().ByName(maskField)).Message().Interface().(*fieldmaskpb.FieldMask)
	return mask
}
