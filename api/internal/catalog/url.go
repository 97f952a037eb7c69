package catalog

import (
	"net/url"
	"strings"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// CheckURLs refuses what a browser would not open as a page: the addresses of a service's repository and
// runbook are shown as links. An empty one is none.
func CheckURLs(repo, runbook string) error {
	if !isPage(repo) {
		return fault.InvalidField("repo_url", fault.BadFormat, "Enter the whole address of the repository, beginning with https:// or http://.")
	}
	if !isPage(runbook) {
		return fault.InvalidField("runbook_url", fault.BadFormat, "Enter the whole address of the runbook, beginning with https:// or http://.")
	}
	return nil
}

func isPage(text string) bool {
	parsed, err := url.Parse(text)
	return text == "" || (err == nil && !strings.ContainsAny(text, " \t\n") && parsed.User == nil && parsed.Host != "" && (parsed.Scheme == "https" || parsed.Scheme == "http"))
}
