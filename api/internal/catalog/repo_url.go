package catalog

import (
	"net/url"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// CheckRepoURL refuses what a browser would not open as a page: the address is shown as a link.
// An empty one is none.
func CheckRepoURL(text string) error {
	parsed, err := url.Parse(text)
	if text == "" || (err == nil && parsed.Host != "" && (parsed.Scheme == "https" || parsed.Scheme == "http")) {
		return nil
	}
	return fault.InvalidField("repo_url", fault.BadFormat, "Enter the whole address of the repository, beginning with https:// or http://.")
}
