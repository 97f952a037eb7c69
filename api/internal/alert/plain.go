package alert

import "github.com/nightbell/nightbell/api/internal/kernel/plaintext"

// Plain returns the batch with all text that is shown or sent made plain, whatever the sender
// wrote. Keys and groups stay as they are: they are compared, not shown. It changes b's maps.
func (b Batch) Plain() Batch {
	for i := range b.Alerts {
		r := &b.Alerts[i]
		r.Title, r.GroupTitle, r.Source = plaintext.Line(r.Title), plaintext.Line(r.GroupTitle), plaintext.Line(r.Source)
		r.Description = plaintext.Text(r.Description)
		plainPairs(r.Labels)
		plainPairs(r.Annotations)
	}
	return b
}

func plainPairs(pairs map[string]string) {
	for name, value := range pairs {
		cleanName, cleanValue := plaintext.Line(name), plaintext.Text(value)
		if cleanName == name && cleanValue == value {
			continue
		}
		delete(pairs, name)
		if _, taken := pairs[cleanName]; !taken {
			pairs[cleanName] = cleanValue
		}
	}
}
