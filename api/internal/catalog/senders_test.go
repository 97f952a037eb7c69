package catalog_test

import (
	"slices"
	"testing"

	"github.com/nightbell/nightbell/api/internal/catalog"
)

func TestKindsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent, sdk string
		what       catalog.SenderKind
		want       []catalog.SenderKind
	}{
		{"Alertmanager/0.28.0", "", catalog.Alertmanager, []catalog.SenderKind{catalog.Alertmanager}},
		{"", "", catalog.PlainHTTP, []catalog.SenderKind{catalog.PlainHTTP}},
		{"Mozilla/5.0 (X11; Linux)", "", catalog.Alertmanager, nil},
		{"node", "node/1.0 (node 20; linux)", catalog.PlainHTTP, []catalog.SenderKind{catalog.NodeSDK}},
		{"python/1.0", "python/1.0", catalog.Heartbeat, []catalog.SenderKind{catalog.Heartbeat, catalog.PythonSDK}},
		{"go/1.0", "go/1.0", catalog.ChangeSender, []catalog.SenderKind{catalog.ChangeSender, catalog.GoSDK}},
		{"x", "rust/1.0", catalog.PlainHTTP, []catalog.SenderKind{catalog.PlainHTTP}},
		{"GitHub-Actions/7", "", catalog.ChangeSender, []catalog.SenderKind{catalog.GitHub}},
		{"GitHub-Actions/7", "", catalog.PlainHTTP, []catalog.SenderKind{catalog.PlainHTTP}},
	} {
		if got := catalog.KindsOf(c.agent, c.sdk, c.what); !slices.Equal(got, c.want) {
			t.Errorf("%q %q %s: %v, want %v", c.agent, c.sdk, c.what, got, c.want)
		}
	}
}
