package notify

import "testing"

func TestHintsAreMaskedToWhatIsRecognised(t *testing.T) {
	for hint, want := range map[string]string{
		"ada@example.com": "a…@example.com", "żaneta@example.com": "ż…@example.com", "a@example.com": "a…@example.com",
		"https://hooks.example.com/…": "https://hooks.example.com/…", "#alerts": "#alerts", "@here": "@here", "": "",
	} {
		if got := MaskHint(hint); got != want {
			t.Errorf("%q is shown as %q, want %q", hint, got, want)
		}
	}
}
