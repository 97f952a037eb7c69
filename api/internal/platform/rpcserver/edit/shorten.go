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

// ShortenAll shortens the addresses of a resource.
func ShortenAll(resource protoreflect.Message) {
	resource.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if isShortened(field) {
			resource.Set(field, protoreflect.ValueOfString(Shorten(value.String())))
		}
		return true
	})
}

func isShortened(field protoreflect.FieldDescriptor) bool {
	shortened, _ := proto.GetExtension(field.Options(), nightbellv1.E_Shortened).(bool)
	return shortened
}
