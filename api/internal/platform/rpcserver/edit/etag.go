package edit

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// ETag is the version of a resource as far as the request can change it: who is on call or which
// key it has may change without making an edit stale. Resources without a version column have one
// this way, and going back to an earlier state is no change.
func ETag(resource proto.Message, request protoreflect.MessageDescriptor) string {
	versioned := proto.Clone(resource).ProtoReflect()
	versioned.Range(func(field protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		counterpart := request.Fields().ByName(field.Name())
		if counterpart == nil || field.Name() == etagField {
			versioned.Clear(field)
		}
		return true
	})
	clearFilled(versioned)
	// Cannot fail: what is not UTF-8 never reaches the database.
	text, _ := proto.MarshalOptions{Deterministic: true}.Marshal(versioned.Interface())
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// clearFilled takes out what only answers have, such as the names of people: somebody who is
// renamed makes no edit stale.
func clearFilled(message protoreflect.Message) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		filled, _ := proto.GetExtension(field.Options(), nightbellv1.E_FilledInAnswers).(bool)
		switch {
		case filled:
			message.Clear(field)
		case field.Message() == nil || field.IsMap():
		case field.IsList():
			for i := range value.List().Len() {
				clearFilled(value.List().Get(i).Message())
			}
		default:
			clearFilled(value.Message())
		}
		return true
	})
}

// matches compares as If-Match does: any of several, with or without quotes. A proxy that
// compresses an answer marks its etag as weak (W/); it is the same version all the same.
func matches(asked, version string) bool {
	for one := range strings.SplitSeq(asked, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == "*" || strings.Trim(one, `"`) == version {
			return true
		}
	}
	return false
}

// Tagged is the etag that Tag wrote.
func Tagged(resource protoreflect.Message) string {
	return resource.Get(resource.Descriptor().Fields().ByName(etagField)).String()
}

// Tag writes the etag of a resource into it and returns it.
func Tag(resource protoreflect.Message, request protoreflect.MessageDescriptor) string {
	etag := ETag(resource.Interface(), request)
	SetETag(resource, etag)
	return etag
}
