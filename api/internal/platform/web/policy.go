package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// contentPolicy is the Content-Security-Policy of one page: nothing from elsewhere, and of inline scripts exactly those
// that were built into it. Inline style attributes are allowed where the page has some (highlighted code), and on the
// fallback page, whose policy the sandboxed mail of the inbox inherits.
func contentPolicy(page []byte, styleAttributes bool) string {
	scriptSources := []string{"'self'"}
	var inline bool // the text that follows is a script of the page's own
	tags := html.NewTokenizer(bytes.NewReader(page))
	for kind := tags.Next(); kind != html.ErrorToken; kind = tags.Next() {
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tags.TagName()
			inline = string(name) == "script"
			for more {
				var attribute []byte
				attribute, _, more = tags.TagAttr()
				styleAttributes = styleAttributes || string(attribute) == "style"
				inline = inline && string(attribute) != "src"
			}
		case html.TextToken:
			if inline {
				if hash := scriptHash(tags.Raw()); !slices.Contains(scriptSources, hash) {
					scriptSources = append(scriptSources, hash)
				}
			}
		default:
			inline = false
		}
	}
	policy := []string{
		"default-src 'none'",
		"script-src " + strings.Join(scriptSources, " "),
		"style-src 'self'",
		"img-src 'self' data:",
		"font-src 'self'",
		"connect-src 'self'",
		"worker-src 'self'",
		"manifest-src 'self'",
		"frame-src 'self'",
		"object-src 'none'",
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
	}
	if styleAttributes {
		policy = append(policy, "style-src-attr 'unsafe-inline'")
	}
	return strings.Join(policy, "; ")
}

// searchWorker is the script that searches the documentation, and searchPolicy all it needs: a worker
// obeys the policy its own file came with, and this one reads the index and runs WebAssembly.
const (
	searchWorker = "pagefind/pagefind-worker.js"
	searchPolicy = "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'"
)

// scriptHash is what a browser computes: it reads the text after normalising line ends.
func scriptHash(script []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(script, []byte("\r\n"), []byte("\n")))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
