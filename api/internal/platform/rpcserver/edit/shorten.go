package edit

import (
	"net/url"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// hidden stands for what an address has behind its host.
const hidden = "/…"

// Shorten is how an address is shown that may hold a secret: user, path and query are left out.
func Shorten(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return hidden
	}
	return parsed.Scheme + "://" + parsed.Host + hidden
}

// IsShortened reports whether an address is one as it is shown, which is not one to store.
func IsShortened(address string) bool { return strings.HasSuffix(address, hidden) }

// Shortened are the fields of a resource that hold such addresses.
func Shortened(resource protoreflect.MessageDescriptor) (fields []protoreflect.FieldDescriptor) {
	for i := range resource.Fields().Len() {
		if field := resource.Fields().Get(i); isShortened(field) {
			fields = append(fields, field)
		}
	}
	return fields
}

// ShortenAll shortens the addresses in these fields of a resource.
func ShortenAll(resource protoreflect.Message, fields []protoreflect.FieldDescriptor) {
	for _, field := range fields {
		if resource.Has(field) {
			resource.Set(field, protoreflect.ValueOfString(Shorten(resource.Get(field).String())))
		}
	}
}

func isShortened(field protoreflect.FieldDescriptor) bool {
	shortened, _ := proto.GetExtension(field.Options(), nightbellv1.E_Shortened).(bool)
	return shortened
}
