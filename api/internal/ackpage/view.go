package ackpage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/respond"
)

//go:embed style.css
var style string

//go:embed page.html
var pageSource string

//go:embed refusal.html
var refusalSource string

//go:embed frame.html
var frameSource string

// script says when an answer got lost, where the browser's error page has no button; the form posts without it too.
//
//go:embed offline.js
var script string

// contentPolicy lets nothing run or load but the style and the script, which may only ask this site.
var contentPolicy = func() string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'self'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}()

// styleURL changes with the style, so that browsers may keep it for good.
var styleURL = func() string {
	sum := sha256.Sum256([]byte(style))
	return "/ack/style.css?v=" + hex.EncodeToString(sum[:6])
}()

type executor interface {
	Execute(w io.Writer, data any) error
}

var (
	pageTemplate    = parse(pageSource)
	refusalTemplate = parse(refusalSource)
)

func parse(source string) *template.Template {
	functions := template.FuncMap{"script": func() template.JS { return template.JS(script) }} //nolint:gosec // our own file
	return template.Must(template.Must(template.New("frame").Funcs(functions).Parse(frameSource)).New("page").Parse(source))
}

func serveStyle(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, style)
}

// refusal is what refusal.html shows.
type refusal struct{ Title, Advice, Style string }

// maxRows is how many incidents the page lists; the rest are counted.
const maxRows = 50

// view is what page.html shows.
type view struct {
	Style string
	// Title is the one thing to know: what is broken, or who has it.
	Title string
	// Open counts the incidents that nobody has answered.
	Open   int
	Button string
	Note   string
	Rows   []row
	// Seen says how severe the page showed each that is open: "<id> <severity>".
	Seen []string
	More int
}

// row is one incident.
type row struct {
	ShortID, Title string
	// Said is the beginning of the description: the alert's own words.
	Said                   string
	Severity, SeverityWord string
	Status, StatusWord     string
	Service, Since, Path   string
}

func newView(paged respond.Paged) view {
	v := view{Style: styleURL}
	for _, told := range paged.Incidents {
		if told.Waits() {
			v.Open++
			v.Seen = append(v.Seen, told.ID.String()+" "+string(told.Severity))
		}
		if len(v.Rows) < maxRows {
			v.Rows = append(v.Rows, newRow(told, paged.Now))
		}
	}
	v.More = len(paged.Incidents) - len(v.Rows)
	name := notify.Line(paged.PersonName, 100)
	switch {
	case v.Open == 0:
		v.Title = settled(paged)
	case len(paged.Incidents) == 1:
		v.Title, v.Button = v.Rows[0].Title, "Acknowledge"
		if paged.Incidents[0].Status == incident.Acknowledged {
			v.Button = "Acknowledge again"
		}
		v.Note = "You answer as " + name + ". Nobody else is paged then."
	default:
		v.Title, v.Button = fmt.Sprintf("%d of %d incidents need somebody", v.Open, len(paged.Incidents)), fmt.Sprintf("Acknowledge all %d", v.Open)
		if v.Open == 1 {
			v.Title, v.Button = fmt.Sprintf("1 of %d incidents needs somebody", len(paged.Incidents)), "Acknowledge"
		}
		v.Note = "You answer as " + name + ". Nobody else is paged for them then."
	}
	return v
}

// settled says who has it, when nothing is left to acknowledge.
func settled(paged respond.Paged) string {
	if len(paged.Incidents) > 1 {
		return fmt.Sprintf("All %d incidents are answered", len(paged.Incidents))
	}
	told := paged.Incidents[0]
	switch {
	case told.Status == incident.Resolved:
		return "It is resolved"
	case told.AcknowledgedBy == "":
		return "Somebody has it"
	case told.AcknowledgedBy == paged.PersonName:
		return "You have it"
	default:
		return notify.Line(told.AcknowledgedBy, 100) + " has it"
	}
}

// saidRunes is how much of a description is shown: two lines on a phone.
const saidRunes = 140

func newRow(told respond.PagedIncident, now time.Time) row {
	shown := notify.Incident{ID: told.ID, Title: told.Title, Severity: told.Severity, Status: string(told.Status), ServiceName: told.ServiceName}
	return row{
		ShortID: "#" + id.Last4(told.ID), Title: shown.CleanTitle(), Said: notify.Line(told.Description, saidRunes),
		Severity: string(told.Severity), SeverityWord: notify.SeverityWord(told.Severity),
		Status: string(told.Status), StatusWord: shown.StatusWord(),
		Service: shown.Service(), Since: since(told, now), Path: "/incidents/" + told.ID.String(),
	}
}

// since says since when, and who has it.
func since(told respond.PagedIncident, now time.Time) string {
	switch told.Status {
	case incident.Acknowledged:
		by := ""
		if told.AcknowledgedBy != "" {
			by = "by " + notify.Line(told.AcknowledgedBy, 100) + " "
		}
		text := by + "at " + clock(told.AcknowledgedAt)
		if told.Waits() {
			text += ", when it was " + string(told.AcknowledgedSeverity) + ": acknowledge it again"
		}
		return text
	case incident.Resolved:
		return "at " + clock(told.ResolvedAt)
	case incident.Triggered:
		return fmt.Sprintf("since %s, %s", clock(told.TriggeredAt), ago(now.Sub(told.TriggeredAt)))
	default:
		return ""
	}
}

func clock(at time.Time) string { return at.UTC().Format("15:04 MST") }

// ago is a duration as people say it.
func ago(d time.Duration) string {
	minutes := int(d.Minutes())
	switch {
	case minutes < 1:
		return "just now"
	case minutes == 1:
		return "1 minute ago"
	case minutes < 60:
		return fmt.Sprintf("%d minutes ago", minutes)
	case minutes < 120:
		return "1 hour ago"
	case minutes < 48*60:
		return fmt.Sprintf("%d hours ago", minutes/60)
	default:
		return fmt.Sprintf("%d days ago", minutes/60/24)
	}
}
