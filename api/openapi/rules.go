package main

import (
	"regexp"
	"slices"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The rules of the proto files are those that the server holds requests to. In answers they only
// tell which words there are.

func rulesOf(field protoreflect.FieldDescriptor) *validate.FieldRules {
	rules, _ := proto.GetExtension(field.Options(), validate.E_Field).(*validate.FieldRules)
	return rules
}

// isNeeded is true for a field of a request that is refused when it is left out: what a field
// without a value is does not keep its rules.
func isNeeded(field protoreflect.FieldDescriptor) bool {
	rules := rulesOf(field)
	if rules.GetRequired() {
		return true
	}
	if field.HasPresence() || rules.GetIgnore() == validate.Ignore_IGNORE_IF_ZERO_VALUE {
		return false
	}
	switch {
	case field.IsList():
		return rules.GetRepeated().GetMinItems() > 0
	case field.IsMap():
		return rules.GetMap().GetMinPairs() > 0
	case field.Kind() == protoreflect.StringKind:
		return refusesEmpty(rules.GetString())
	case field.Kind() == protoreflect.Int32Kind:
		return refusesZero(rules.GetInt32())
	}
	return false
}

func refusesEmpty(rules *validate.StringRules) bool {
	switch {
	case rules.GetMinLen() > 0, rules.GetLen() > 0, rules.GetEmail(), rules.GetUuid(), rules.GetUri(), rules.GetConst() != "":
		return true
	case len(rules.GetIn()) > 0:
		return !slices.Contains(rules.GetIn(), "")
	case rules.GetPattern() != "":
		matched, err := regexp.MatchString(rules.GetPattern(), "")
		return err == nil && !matched
	}
	return false
}

func refusesZero(rules *validate.Int32Rules) bool {
	return rules.GetGte() > 0 || rules.HasGt() && rules.GetGt() >= 0 || rules.HasLte() && rules.GetLte() < 0 ||
		len(rules.GetIn()) > 0 && !slices.Contains(rules.GetIn(), 0)
}

func limitText(s *schema, rules *validate.StringRules, as role) *schema {
	words := slices.DeleteFunc(slices.Clone(rules.GetIn()), func(word string) bool { return word == "" })
	if as == answer {
		s.Words = words
		return s
	}
	for _, word := range words {
		s.Enum = append(s.Enum, word)
	}
	s.MinLength, s.MaxLength, s.Pattern = rules.GetMinLen(), rules.GetMaxLen(), rules.GetPattern()
	return s
}

func limitNumber(s *schema, rules *validate.Int32Rules, as role) *schema {
	if as == answer {
		return s
	}
	if rules.HasGte() {
		s.Minimum = new(int64(rules.GetGte()))
	}
	if rules.HasGt() {
		s.Minimum = new(int64(rules.GetGt()) + 1)
	}
	if rules.HasLte() {
		s.Maximum = new(int64(rules.GetLte()))
	}
	if rules.HasLt() {
		s.Maximum = new(int64(rules.GetLt()) - 1)
	}
	return s
}

func limitList(s *schema, rules *validate.RepeatedRules, as role) *schema {
	if as != answer {
		s.MinItems, s.MaxItems = rules.GetMinItems(), rules.GetMaxItems()
	}
	return s
}

func limitMap(s *schema, rules *validate.MapRules, as role) *schema {
	if as != answer {
		s.MaxProperties = rules.GetMaxPairs()
	}
	return s
}
