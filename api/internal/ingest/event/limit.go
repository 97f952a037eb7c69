package event

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// The limits of an event; proto/vectors/truncation.json holds the SDKs to the same ones.
const (
	maxText        = 4_000 // a message of an exception, a string inside metadata
	maxName        = 200
	maxSourceLine  = 200
	sourceLines    = 5
	maxTags        = 64
	maxTagName     = 64
	maxTagValue    = 256
	maxDedupKey    = 512 // bytes
	maxExceptions  = 8
	maxFrames      = 50
	maxBreadcrumbs = 50
	maxCrumb       = 500
	maxLinks       = 10
	maxHref        = 2_000
	maxMetadata    = 16 << 10 // bytes of JSON
	maxEntries     = 64
	maxDepth       = 6
	maxInteger     = 1<<53 - 1
)

// maxTexts are the limits of plain fields, in characters.
var maxTexts = map[string]int{
	"title": 500, "description": 20_000, "source": maxName, "release": maxName, "operation": maxName, "environment": 64,
	"summary": 500, "version": maxName, "author": maxName,
}

// limiter cuts what is too long and remembers which fields lost something.
type limiter struct{ cut map[string]bool }

// limit cuts a decoded event to its limits in place, and names the fields that lost something.
// Fields are of the kinds that they must be of.
func limit(fields map[string]any) (truncated []string) {
	l := limiter{cut: map[string]bool{}}
	for field, most := range maxTexts {
		if text, ok := fields[field].(string); ok {
			fields[field] = l.text(field, text, most)
		}
	}
	if key, ok := fields["dedup_key"].(string); ok {
		fields["dedup_key"] = l.key(key)
	}
	if tags, ok := fields["tags"].(map[string]any); ok {
		fields["tags"] = l.tags(tags)
	}
	for _, field := range []string{"metadata", "user", "trace"} {
		if value, ok := fields[field].(map[string]any); ok {
			fields[field] = l.object(field, value)
		}
	}
	if links, ok := fields["links"].([]any); ok {
		fields["links"] = l.links(links)
	}
	if details, ok := fields["error"].(map[string]any); ok {
		if details = l.details(details); len(details) > 0 {
			fields["error"] = details
		} else {
			delete(fields, "error") // nothing of it can be read
		}
	}
	return slices.Sorted(maps.Keys(l.cut))
}

// text cuts to a number of characters, of which the ellipsis is one.
func (l limiter) text(field, text string, most int) string {
	text = shown(text)
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	l.cut[field] = true
	end := 0
	for range most - 1 {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end] + "…"
}

// clean makes text that PostgreSQL keeps.
func clean(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

// shown is clean for all that people read: nothing in it hides or reorders text.
func shown(text string) string { return plaintext.Text(clean(text)) }

// key hashes a long dedup key: two may begin alike.
func (l limiter) key(key string) string {
	if key = clean(key); len(key) <= maxDedupKey {
		return key
	}
	l.cut["dedup_key"] = true
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func (l limiter) tags(tags map[string]any) map[string]any {
	kept := map[string]any{}
	for _, name := range sortedKeys(tags) {
		if len(kept) == maxTags {
			l.cut["tags"] = true
			break
		}
		text, isText := tags[name].(string)
		if !isText {
			text = string(encode(tags[name]))
		}
		kept[l.text("tags", name, maxTagName)] = l.text("tags", text, maxTagValue)
	}
	return kept
}

func (l limiter) links(links []any) []any {
	kept := []any{}
	for _, one := range links {
		link, _ := one.(map[string]any)
		href, _ := link["href"].(string)
		if href == "" || len(kept) == maxLinks || utf8.RuneCountInString(href) > maxHref {
			l.cut["links"] = true
			continue
		}
		tidy := map[string]any{"href": shown(href)}
		if text, _ := link["text"].(string); text != "" {
			tidy["text"] = l.text("links", text, maxName)
		}
		kept = append(kept, tidy)
	}
	return kept
}

// object keeps the entries that fit, by name.
func (l limiter) object(field string, object map[string]any) map[string]any {
	limited, _ := l.value(field, object, maxDepth).(map[string]any)
	kept, size := map[string]any{}, len("{}")
	for _, name := range sortedKeys(limited) {
		entry := len(encode(map[string]any{name: limited[name]})) - 1
		if size+entry > maxMetadata {
			l.cut[field] = true
			continue
		}
		size += entry
		kept[name] = limited[name]
	}
	return kept
}

func (l limiter) value(field string, value any, depth int) any {
	switch value := value.(type) {
	case string:
		return l.text(field, value, maxText)
	case json.Number:
		return number(value)
	case map[string]any:
		if depth == 0 {
			l.cut[field] = true
			return "[too deep]"
		}
		kept := map[string]any{}
		for _, name := range sortedKeys(value) {
			if len(kept) == maxEntries {
				l.cut[field] = true
				break
			}
			kept[shown(name)] = l.value(field, value[name], depth-1)
		}
		return kept
	case []any:
		if depth == 0 {
			l.cut[field] = true
			return "[too deep]"
		}
		if len(value) > maxEntries {
			l.cut[field] = true
			value = value[:maxEntries]
		}
		kept := make([]any, len(value))
		for i := range value {
			kept[i] = l.value(field, value[i], depth-1)
		}
		return kept
	default:
		return value
	}
}

// number keeps what every reader of JSON and PostgreSQL reads alike.
func number(sent json.Number) any {
	if n, err := sent.Int64(); err == nil && n >= -maxInteger && n <= maxInteger {
		return n
	}
	if !strings.ContainsAny(sent.String(), ".eE") {
		return clean(sent.String())
	}
	n, err := sent.Float64()
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return nil
	}
	return n
}

func (l limiter) details(details map[string]any) map[string]any {
	kept := map[string]any{}
	if fingerprint, ok := details["fingerprint"].(string); ok && fingerprint != "" {
		kept["fingerprint"] = l.text("error", fingerprint, maxName)
	}
	if exceptions, ok := details["exceptions"].([]any); ok {
		kept["exceptions"] = l.exceptions(exceptions)
	}
	if crumbs, ok := details["breadcrumbs"].([]any); ok {
		if n := len(crumbs); n > maxBreadcrumbs {
			crumbs = crumbs[n-maxBreadcrumbs:]
			l.cut["error"] = true
		}
		kept["breadcrumbs"] = l.each(crumbs, func(crumb map[string]any) {
			if message, ok := crumb["message"].(string); ok {
				crumb["message"] = l.text("error", message, maxCrumb)
			}
		})
	}
	return kept
}

func (l limiter) exceptions(exceptions []any) []any {
	if len(exceptions) > maxExceptions {
		exceptions = exceptions[:maxExceptions]
		l.cut["error"] = true
	}
	kept := []any{}
	for _, one := range exceptions {
		sent, ok := one.(map[string]any)
		if !ok {
			l.cut["error"] = true
			continue
		}
		exception := map[string]any{}
		for name, most := range map[string]int{"type": maxName, "message": maxText} {
			if text, isText := sent[name].(string); isText {
				exception[name] = l.text("error", text, most)
			}
		}
		if frames, isList := sent["frames"].([]any); isList {
			if n := len(frames); n > maxFrames {
				frames = slices.Concat(frames[:maxFrames/2], frames[n-maxFrames/2:])
				l.cut["error"] = true
			}
			exception["frames"] = l.each(frames, l.sourceOf)
		}
		kept = append(kept, exception)
	}
	return kept
}

// sourceOf cuts the lines of source around a frame's line.
func (l limiter) sourceOf(frame map[string]any) {
	if code, ok := frame["code"].(string); ok {
		frame["code"] = l.text("error", code, maxSourceLine)
	}
	for _, name := range []string{"pre", "post"} {
		lines, ok := frame[name].([]any)
		if !ok {
			continue
		}
		if len(lines) > sourceLines {
			l.cut["error"] = true
			if name == "pre" {
				lines = lines[len(lines)-sourceLines:]
			}
			lines = lines[:sourceLines]
		}
		for i := range lines {
			text, _ := lines[i].(string)
			lines[i] = l.text("error", text, maxSourceLine)
		}
		frame[name] = lines
	}
}

// each keeps the objects of a list, with their own limits and those of metadata.
func (l limiter) each(list []any, own func(map[string]any)) []any {
	kept := []any{}
	for _, one := range list {
		if object, ok := one.(map[string]any); ok {
			own(object)
			kept = append(kept, l.value("error", object, maxDepth))
		} else {
			l.cut["error"] = true
		}
	}
	return kept
}

func sortedKeys(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }
