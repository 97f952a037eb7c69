package catalog

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// SenderKind is what kind of program calls about a service.
type SenderKind string

// The kinds of senders: monitoring systems, SDKs of ours, and what any program calls.
const (
	Alertmanager SenderKind = "alertmanager"
	Grafana      SenderKind = "grafana"
	NodeSDK      SenderKind = "node_sdk"
	PythonSDK    SenderKind = "python_sdk"
	GoSDK        SenderKind = "go_sdk"
	PlainHTTP    SenderKind = "http"
	Heartbeat    SenderKind = "heartbeat"
	GitHub       SenderKind = "github"
	ChangeSender SenderKind = "change"
	SampleSender SenderKind = "sample"
)

// ConnectedFor is how long a sender counts as connected after its last call.
const ConnectedFor = 30 * 24 * time.Hour

// SenderPrecision is how exact the time of a sender's last call is.
const SenderPrecision = time.Minute

// SenderCall is that a sender called about a service.
type SenderCall struct {
	OrgID, ServiceID uuid.UUID
	Kind             SenderKind
}

// Sender is what is known of the senders of one kind.
type Sender struct {
	Kind            SenderKind
	FirstAt, LastAt time.Time
	// ServiceCount is about how many services they called while they were connected.
	ServiceCount int
}

// Connected reports whether they called not too long before now.
func (s Sender) Connected(now time.Time) bool { return now.Sub(s.LastAt) <= ConnectedFor }

// sdkKinds are the SDKs by how their header begins.
var sdkKinds = map[string]SenderKind{"node": NodeSDK, "python": PythonSDK, "go": GoSDK}

// KindsOf says what called, by the headers User-Agent and Nightbell-Sdk of a call that brings what
// (PlainHTTP for events). An SDK is named besides what it brings, unless those are events. A browser
// is nobody: its test alert does not make a monitoring system connected.
func KindsOf(agent, sdk string, what SenderKind) []SenderKind {
	if strings.HasPrefix(agent, "Mozilla/") {
		return nil
	}
	if what == ChangeSender && strings.HasPrefix(strings.ToLower(agent), "github-actions") {
		what = GitHub
	}
	language, _, _ := strings.Cut(sdk, "/")
	switch kind, known := sdkKinds[language]; {
	case !known:
		return []SenderKind{what}
	case what == PlainHTTP:
		return []SenderKind{kind}
	default:
		return []SenderKind{what, kind}
	}
}
