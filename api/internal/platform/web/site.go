// Package web serves the built site: prerendered pages, one fallback page for the routes that the
// browser draws, and assets that never change. All of it is in the binary.
package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"strings"
)

const (
	fallbackPage = "__spa-fallback.html"
	missingPage  = "404.html"
	routesFile   = "_routes.json"
)

// Site is an http.Handler for everything that people open in a browser.
type Site struct {
	content fs.FS
	logger  *slog.Logger
	// files by the path they are asked for; pages without their "/index.html".
	files    map[string]*file
	fallback *file
	missing  *file
	patterns []pattern
	// secretBehind is the words of addresses behind which a secret stands.
	secretBehind []string
	company      Company
}

// file is what is sent for one path. Its content stays in the binary until it is asked for.
type file struct {
	name string
	kind string
	tag  string
	// policy is set for what is given rights of its own; the rest may nothing.
	policy string
	// encodings are the precompressed forms that exist, the best one first.
	encodings []encoding
	lasting   bool
	// written is, by the suffix of its form, what is sent in place of what was built.
	written map[string][]byte
}

type encoding struct{ name, suffix string }

var (
	gzipped        = encoding{"gzip", ".gz"}
	knownEncodings = []encoding{{"br", ".br"}, gzipped}
)

// New reads what the site's build wrote: pages, assets, a .br and .gz beside each text, __spa-fallback.html, 404.html,
// and _routes.json (what the fallback is for). It hashes inline scripts for each page's Content-Security-Policy and
// writes in who runs this installation. A folder without index.html is no error: the site then says how to build it.
func New(content fs.FS, logger *slog.Logger, secretBehind []string, company Company) (*Site, error) {
	site := &Site{content: content, logger: logger, secretBehind: secretBehind, company: company, files: map[string]*file{}}
	if _, err := fs.Stat(content, "index.html"); errors.Is(err, fs.ErrNotExist) {
		return site, nil
	}
	err := fs.WalkDir(content, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return site.add(name)
	})
	if err != nil {
		return nil, fmt.Errorf("read the built site: %w", err)
	}
	if site.fallback == nil || site.missing == nil {
		return nil, fmt.Errorf("the built site lacks %s or %s; build it again with `make build`", fallbackPage, missingPage)
	}
	return site, site.readPatterns()
}

func (s *Site) add(name string) error {
	if hidden(name) {
		return nil
	}
	body, err := fs.ReadFile(s.content, name)
	if err != nil {
		return err
	}
	known := &file{name: name, kind: kindOf(name), lasting: strings.HasPrefix(name, "assets/")}
	if page, changed := s.company.writtenInto(name, body); changed {
		body, known.written, known.encodings = page, forms(page), []encoding{gzipped}
	} else {
		for _, encoding := range knownEncodings {
			if _, err := fs.Stat(s.content, name+encoding.suffix); err == nil {
				known.encodings = append(known.encodings, encoding)
			}
		}
	}
	sum := sha256.Sum256(body)
	known.tag = hex.EncodeToString(sum[:8])
	switch {
	case path.Ext(name) == ".html":
		known.policy = contentPolicy(body, name == fallbackPage)
	case name == searchWorker:
		known.policy = searchPolicy
	}
	s.place(known)
	return nil
}

// hidden files are for the server, not for visitors.
func hidden(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, ".") || base == routesFile ||
		strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz")
}

// place files a file under the path it answers to.
func (s *Site) place(known *file) {
	switch known.name {
	case fallbackPage:
		s.fallback = known
	case missingPage:
		s.missing = known
	case "index.html":
		s.files["/"] = known
	default:
		s.files["/"+strings.TrimSuffix(known.name, "/index.html")] = known
	}
}

// readPatterns keeps the patterns that the fallback is for. A pattern that a prerendered page
// matches is complete: what was not prerendered there does not exist.
func (s *Site) readPatterns() error {
	body, err := fs.ReadFile(s.content, routesFile)
	if err != nil {
		return fmt.Errorf("read the built site: %w", err)
	}
	var written struct{ Routes []string }
	if err := json.Unmarshal(body, &written); err != nil {
		return fmt.Errorf("read %s of the built site: %w", routesFile, err)
	}
	for _, route := range written.Routes {
		one := newPattern(route)
		if !s.prerendered(one) {
			s.patterns = append(s.patterns, one)
		}
	}
	return nil
}

func (s *Site) prerendered(one pattern) bool {
	for at, known := range s.files {
		if path.Ext(known.name) == ".html" && one.matches(at) {
			return true
		}
	}
	return false
}

// pattern is a route of the site: "/incidents/:id", "/docs/*".
type pattern []string

func newPattern(route string) pattern { return strings.Split(strings.Trim(route, "/"), "/") }

func (p pattern) matches(at string) bool {
	parts := strings.Split(strings.TrimPrefix(at, "/"), "/")
	for i, wanted := range p {
		switch {
		case wanted == "*":
			return true
		case i >= len(parts):
			return false
		case strings.HasPrefix(wanted, ":") && parts[i] != "":
		case wanted != parts[i]:
			return false
		}
	}
	return len(parts) == len(p)
}

// kinds are ours instead of the machine's, whose table differs from one to the next.
var kinds = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".jpg":         "image/jpeg",
	".webp":        "image/webp",
	".avif":        "image/avif",
	".ico":         "image/x-icon",
	".woff2":       "font/woff2",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".xml":         "application/xml",
	".txt":         "text/plain; charset=utf-8",
	".md":          "text/markdown; charset=utf-8",
	".data":        "text/x-script; charset=utf-8",
}

func kindOf(name string) string {
	if kind, ok := kinds[path.Ext(name)]; ok {
		return kind
	}
	return "application/octet-stream"
}
