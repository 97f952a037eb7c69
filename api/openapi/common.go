package main

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// common are fields that mean the same wherever they stand, so that no proto file says it.
var common = map[protoreflect.Name]string{
	"id":          "Its id.",
	"name":        "What people call it.",
	"description": "More about it, for people.",
	"severity":    "How bad it is.",
	"created_at":  "When it was created.",
	"updated_at":  "When it was changed last.",
	"starts_at":   "When it begins.",
	"ends_at":     "When it ends.",
	"etag":        "Its version; send it back, or as If-Match, to change only what you have seen.",
	"limit":       "How many to answer at most.",
	"cursor":      "next_cursor of the page before.",
	"next_cursor": "Send it as cursor to read on. Absent on the last page.",
	"timezone":    "Its time zone, an IANA name such as Europe/Berlin.",
	"warnings":    "What of the request was not used.",
}

// meaning describes a field without a comment by its name: what is common, ids and names of other
// things, and lists.
func meaning(field protoreflect.FieldDescriptor) string {
	name := string(field.Name())
	kind, _ := proto.GetExtension(field.Options(), nightbellv1.E_ResourceRef).(string)
	switch {
	case name == "id" && kind != "":
		return "The id of the " + spaced(kind) + "."
	case common[field.Name()] != "":
		return common[field.Name()]
	case strings.HasSuffix(name, "_id"):
		return "The id of the " + spaced(strings.TrimSuffix(name, "_id")) + "."
	case strings.HasSuffix(name, "_ids"):
		return "The ids of the " + spaced(strings.TrimSuffix(name, "_ids")) + "s."
	case strings.HasSuffix(name, "_name"):
		return "The name of the " + spaced(strings.TrimSuffix(name, "_name")) + "."
	case field.IsList() && isOurs(field):
		return "The " + spaced(name) + "."
	}
	return ""
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }
