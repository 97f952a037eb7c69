package main

import "strings"

// examples are values of fields by their names, for readers and for tools that make up requests.
var examples = map[string]any{
	"name": "Checkout", "title": "Orders stopped", "description": "No order for ten minutes.", "summary": "Release 2026.11.3",
	"email": "ada@example.com", "timezone": "Europe/Berlin", "time_zone": "Europe/Berlin", "number": 1042, "severity": "critical",
	"message": "Restarted the payment workers.", "field": "title", "etag": "mPq3vK1sZ0a8Jw2L",
	"text": "checkout", "reason": "Parental leave", "source": "prometheus", "handover": "08:00", "from": "08:00", "to": "18:00",
	"prefix": "nbk_4f6s", "phone": "+49 30 1234567", "request_id": "0192d3a5-6a80-7000-8000-000000000001", "dedup_key": "checkout-db",
	"environment": "production", "release": "2026.11.3", "version": "2026.11.3", "tier": "tier1", "slug": "acme",
}

var examplesByFormat = map[string]any{
	"uuid": "0192d3a5-6a80-7000-8000-000000000001", "date-time": "2026-11-22T03:00:00Z", "uri": "https://example.com/hook", "email": "ada@example.com",
}

// addExamples gives an example to each text of a schema that has a known name, format or words, and
// to each number with a lower bound.
func addExamples(s *schema) {
	for _, name := range s.Properties.names {
		property := s.Properties.get(name)
		addExamples(property)
		if example := exampleOf(name, property); example != nil && len(property.Examples) == 0 {
			property.Examples = []any{example}
		}
	}
}

func exampleOf(name string, s *schema) any {
	switch kind, _ := s.Type.(string); {
	case kind != "string" && kind != "integer" || s.Const != nil:
		return nil
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.Words) > 0:
		return s.Words[0]
	case kind == "integer" && strings.HasSuffix(name, "_seconds"):
		return 300
	case kind == "integer" && name != "number":
		return nil
	case examplesByFormat[s.Format] != nil:
		return examplesByFormat[s.Format]
	}
	return examples[name]
}
