package catalog

import "testing"

func TestAddressesOfAServiceArePages(t *testing.T) {
	for text, fits := range map[string]bool{
		"": true, "https://git.example.com/a/b": true, "http://git.intern/a": true, "javascript:alert(1)": false,
		"git@git.example.com:a/b.git": false, "ssh://git@git.example.com/a": false, "data:text/html,x": false, "/a/b": false, "https://git.example.com/a b": false, "https://me:secret@git.example.com/a": false, "https://": false,
	} {
		if err := CheckURLs(text, ""); (err == nil) != fits {
			t.Errorf("%q: %v", text, err)
		}
		if err := CheckURLs("", text); (err == nil) != fits {
			t.Errorf("%q as a runbook: %v", text, err)
		}
	}
}
