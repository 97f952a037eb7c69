package alert

import "strings"

// shortDescription is how many bytes of a description Short keeps.
const shortDescription = 1 << 10

// Short is the alert without what its sender wrote at length: it opens the same incident and
// pages the same people, and takes a few hundred bytes.
func (r Received) Short() Received {
	r.Description = ShortDescription(r.Description)
	r.Labels, r.Annotations = nil, nil
	if r.Event != nil {
		r.Event.IncidentDetails, r.Event.AlertDetails = nil, nil // in place: its outcome is read there
	}
	return r
}

// ShortDescription is the beginning of a description that is long.
func ShortDescription(text string) string {
	if len(text) <= shortDescription {
		return text
	}
	return strings.ToValidUTF8(text[:shortDescription], "") + "…"
}

// Bytes is about how much storing the alert takes.
func (r Received) Bytes() int64 {
	n := 200 + len(r.Key) + len(r.Group) + len(r.GroupTitle) + len(r.Title) + len(r.Description) + len(r.Link)
	for _, texts := range []map[string]string{r.Labels, r.Annotations} {
		for name, text := range texts {
			n += len(name) + len(text)
		}
	}
	if r.Event != nil {
		n += len(r.Event.IncidentDetails) + len(r.Event.AlertDetails)
	}
	return int64(n)
}
