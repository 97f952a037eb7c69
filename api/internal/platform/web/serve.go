package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// ServeHTTP answers GET and HEAD.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "This address can only be read.", http.StatusMethodNotAllowed)
		return
	}
	if s.fallback == nil {
		notBuilt(w)
		return
	}
	at := r.URL.Path
	if clean := path.Clean("/" + at); clean != at {
		redirect(w, r, clean)
		return
	}
	switch known := s.find(at); {
	case known != nil:
		s.send(w, r, known, http.StatusOK)
	case strings.HasPrefix(at, "/assets/"):
		// Never HTML: a tab left open over an update would run it.
		http.Error(w, "This file belongs to another version of the site. Reload the page.", http.StatusNotFound)
	default:
		s.logger.LogAttrs(r.Context(), slog.LevelInfo, "page not found", slog.String("path", s.masked(at)))
		s.send(w, r, s.missing, http.StatusNotFound)
	}
}

func (s *Site) find(at string) *file {
	if known, ok := s.files[at]; ok {
		return known
	}
	for _, one := range s.patterns {
		if one.matches(at) {
			return s.fallback
		}
	}
	return nil
}

// word is what is logged of a path: keys, tokens and parts of them have digits, capitals or marks,
// or are longer.
var word = regexp.MustCompile(`^[a-z.-]{1,20}$|^v1$`)

// masked is a path for the log. Whatever in it is no word may be the secret of a mistyped webhook
// or acknowledge link, and so may anything behind a word of secretBehind.
func (s *Site) masked(at string) string {
	segments := strings.Split(at[:min(len(at), 200)], "/")
	secret := false
	for i, segment := range segments {
		known := slices.ContainsFunc(s.secretBehind, func(word string) bool { return strings.EqualFold(word, segment) })
		if segment != "" && !known && (secret || !word.MatchString(segment)) {
			segments[i] = "…"
		}
		secret = secret || known
	}
	return plaintext.Line(strings.Join(segments, "/"))
}

// redirect goes to the one spelling of a path. It is escaped, so that no path can name a host.
func redirect(w http.ResponseWriter, r *http.Request, clean string) {
	target := url.URL{Path: clean, RawQuery: r.URL.RawQuery}
	w.Header().Set("Location", target.String())
	w.WriteHeader(http.StatusPermanentRedirect)
}

func (s *Site) send(w http.ResponseWriter, r *http.Request, known *file, status int) {
	header := w.Header()
	header.Set("Vary", "Accept-Encoding")
	if known.policy != "" {
		header.Set("Content-Security-Policy", known.policy)
	}
	if known.lasting {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		header.Set("Cache-Control", "no-cache")
	}
	form := known.form(r.Header.Get("Accept-Encoding"))
	tag := `"` + known.tag + form.suffix + `"`
	header.Set("ETag", tag)
	if status == http.StatusOK && matchesTag(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.sendBody(w, r, known, form, status)
}

func (s *Site) sendBody(w http.ResponseWriter, r *http.Request, known *file, form encoding, status int) {
	header := w.Header()
	header.Set("Content-Type", known.kind)
	if form.name != "" {
		header.Set("Content-Encoding", form.name)
	}
	if body, changed := known.written[form.suffix]; changed {
		header.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		if r.Method == http.MethodGet {
			_, _ = w.Write(body) // a visitor who left cannot be told
		}
		return
	}
	body, err := s.content.Open(known.name + form.suffix)
	if err != nil {
		header.Del("Content-Encoding")
		s.logger.ErrorContext(r.Context(), "open a file of the site", "error", err)
		http.Error(w, "This page cannot be read. Reload it.", http.StatusInternalServerError)
		return
	}
	defer body.Close()
	if about, err := body.Stat(); err == nil {
		header.Set("Content-Length", strconv.FormatInt(about.Size(), 10))
	}
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = io.Copy(w, body) // a visitor who left cannot be told
	}
}

// form picks the best encoding that exists and that the visitor takes.
func (f *file) form(accepted string) encoding {
	for _, one := range f.encodings {
		if accepts(accepted, one.name) {
			return one
		}
	}
	return encoding{}
}

func accepts(accepted, name string) bool {
	for part := range strings.SplitSeq(accepted, ",") {
		coding, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		if !strings.EqualFold(strings.TrimSpace(coding), name) {
			continue
		}
		_, weight, weighted := strings.Cut(strings.ReplaceAll(parameters, " ", ""), "q=")
		quality, err := strconv.ParseFloat(weight, 64)
		return !weighted || (err == nil && quality > 0)
	}
	return false
}

func matchesTag(given, tag string) bool {
	for part := range strings.SplitSeq(given, ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
		if part == tag || part == "*" {
			return true
		}
	}
	return false
}

const notBuiltPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Nightbell: the site is not built</title>
<h1>The site is not in this binary</h1>
<p>The server runs and answers its API, but it was built without the site.
Run <code>make build</code> (or <code>make run</code>) in the repository and start it again.</p>
</html>
`

func notBuilt(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, notBuiltPage)
}
