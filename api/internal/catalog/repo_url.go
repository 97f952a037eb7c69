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
	const sentence = "Enter the whole address of the repository, beginning with https:// or http://."
	refusal := fault.New(fault.Unprocessable, "invalid_field", sentence)
	refusal.Fields = []fault.Field{{Path: "repo_url", Message: sentence}}
	return refusal
}
