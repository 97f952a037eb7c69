package app

import (
	"slices"
	"testing"

	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/oncall/oncallrpc"
)

// TestSecretsOfPlainRoutesAreKnownToTheLog: the words are read from the routes, so that a new
// sender of alerts is not forgotten.
func TestSecretsOfPlainRoutesAreKnownToTheLog(t *testing.T) {
	for path, want := range map[string][]string{
		ingest.Paths()[0]: {"webhooks", "prometheus"}, oncallrpc.FeedPath: {"calendar"}, "/ack/{token}": {"ack"}, "/ack/style.css": nil, "/v1/stream": nil,
		ingest.PingPaths[0]: nil, ingest.PingPaths[1]: {"ping"},
	} {
		if got := secretBehind(path); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
