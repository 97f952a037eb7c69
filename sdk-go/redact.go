package nightbell

import (
	"net/url"
	"slices"
	"strings"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// The rules are those of proto/vectors/redaction.json; a test compares them.
var (
	secretContains = []string{
		"password", "passwd", "passphrase", "secret", "credential", "authorization", "cookie", "apikey",
		"privatekey", "accesskey", "servicekey", "creditcard", "cardnumber", "sessionid",
	}
	secretEndsWith = []string{"token"}
	secretExact    = []string{"auth", "cvc", "cvv", "jwt", "otp", "pin", "pwd", "session", "sid", "ssn"}
)

// redactor takes secrets out of events. Keys holds further names in bare form.
type redactor struct{ keys []string }

func newRedactor(keys []string) redactor {
	r := redactor{}
	for _, key := range keys {
		if bare := bareKey(key); bare != "" {
			r.keys = append(r.keys, bare)
		}
	}
	return r
}

// text replaces what looks like a secret wherever it stands.
func (r redactor) text(s string) string {
	for _, rule := range secretTexts {
		s = rule.replace(s)
	}
	return s
}

// value is a redacted copy of a tree of maps, lists and strings.
func (r redactor) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case map[string]any:
		return r.tree(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = r.value(v[i])
		}
		return list
	default:
		return v
	}
}

func (r redactor) tree(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	tree := make(map[string]any, len(m))
	for key, value := range m {
		if r.secretKey(key) && holdsSecret(value) {
			tree[key] = redacted
		} else {
			tree[key] = r.value(value)
		}
	}
	return tree
}

func holdsSecret(v any) bool {
	switch v := v.(type) {
	case nil, bool:
		return false
	case string:
		return v != ""
	default:
		return true
	}
}

func (r redactor) secretKey(key string) bool {
	bare := bareKey(key)
	contains := func(part string) bool { return strings.Contains(bare, part) }
	endsWith := func(part string) bool { return strings.HasSuffix(bare, part) }
	return slices.ContainsFunc(secretContains, contains) || slices.ContainsFunc(secretEndsWith, endsWith) ||
		slices.Contains(secretExact, bare) || slices.ContainsFunc(r.keys, contains)
}

// bareKey is a key without case and punctuation: X-Api-Key and apiKey are one.
func bareKey(key string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		default:
			return -1
		}
	}, key)
}

// query redacts the values of a URL's query and leaves its spelling as it is.
func (r redactor) query(query string) string {
	if query == "" {
		return ""
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		key, value, _ := strings.Cut(part, "=")
		name, err := url.QueryUnescape(key)
		if err != nil {
			name = key
		}
		if value != "" && r.secretKey(name) {
			parts[i] = key + "=" + redacted
		}
	}
	return strings.Join(parts, "&")
}

// event redacts all text that people wrote, never an id or a name of the code. Maps
// are copied, because the scope of a request shares them.
func (r redactor) event(e *Event) {
	e.Title, e.Description = r.text(e.Title), r.text(e.Description)
	tags := make(map[string]string, len(e.Tags))
	for key, value := range e.Tags {
		if value != "" && r.secretKey(key) {
			tags[key] = redacted
		} else {
			tags[key] = r.text(value)
		}
	}
	e.Tags = tags
	e.Metadata = r.tree(e.Metadata)
	r.links(e.Links)
	if e.Error == nil {
		return
	}
	for i := range e.Error.Exceptions {
		r.exception(&e.Error.Exceptions[i])
	}
	for i := range e.Error.Breadcrumbs {
		b := &e.Error.Breadcrumbs[i]
		b.Message, b.Data = r.text(b.Message), r.tree(b.Data)
	}
}

func (r redactor) links(links []Link) {
	for i := range links {
		links[i].Href, links[i].Text = r.text(links[i].Href), r.text(links[i].Text)
	}
}

func (r redactor) exception(e *Exception) {
	e.Message = r.text(e.Message)
	for i := range e.Frames {
		f := &e.Frames[i]
		f.Code = r.text(f.Code)
		for j := range f.Pre {
			f.Pre[j] = r.text(f.Pre[j])
		}
		for j := range f.Post {
			f.Post[j] = r.text(f.Post[j])
		}
	}
}

// RedactQuery takes secrets out of the query of a URL, for middleware.
func (c *Client) RedactQuery(query string) string {
	if c == nil {
		return ""
	}
	return c.redactor.query(query)
}
