package nightbell

import (
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// defaultBaseURL is a reserved name, which never resolves: no key reaches a stranger.
const defaultBaseURL = "https://api.nightbell.example"

// Config says how a client works. The zero value of a field means: the environment
// variable in its comment, then the default.
type Config struct {
	APIKey        string // NIGHTBELL_API_KEY. An API key or a service key is enough; with neither the client does nothing
	ServiceKey    string // NIGHTBELL_SERVICE_KEY. The service whose incidents these are
	BaseURL       string // NIGHTBELL_BASE_URL. Where Nightbell is; plain http only to this machine
	AllowInsecure bool   // lets BaseURL be plain http to another machine

	Environment       string        // NIGHTBELL_ENVIRONMENT, NODE_ENV, APP_ENV, GO_ENV; "development"
	Timeout           time.Duration // NIGHTBELL_TIMEOUT_MS. Of one try: 10 s in production, otherwise 5 s
	EnableAutoCapture *bool         // NIGHTBELL_AUTO_CAPTURE. Reports crashes of an earlier run; on in production (needs SpoolDir)
	Debug             *bool         // NIGHTBELL_DEBUG. Logs each delivery; on in development
	Release           string        // NIGHTBELL_RELEASE, then the commit that the build system names
	ServerName        string        // NIGHTBELL_SERVER_NAME, then the host name

	SampleRate   *float64       // NIGHTBELL_SAMPLE_RATE. Share of captured errors that is sent: 1. Incidents are always sent
	MaxQueue     int            // NIGHTBELL_MAX_QUEUE. Events that wait at once: 1000
	FlushTimeout *time.Duration // NIGHTBELL_FLUSH_TIMEOUT_MS. How long an exit may take to deliver: 2 s
	SpoolDir     string         // NIGHTBELL_SPOOL_DIR. Keeps what could not be delivered until the next start
	MaxRetries   *int           // NIGHTBELL_MAX_RETRIES. Of TriggerIncident before the background takes over: 3
	CAFile       string         // NIGHTBELL_CA_FILE. PEM of certificate authorities to trust beside the machine's
	Disabled     bool           // NIGHTBELL_DISABLED
	Strict       bool           // makes a missing key an error

	RedactKeys   []string                  // further names of keys whose values never leave the process
	IgnoreErrors []error                   // not captured, compared with errors.Is
	BeforeSend   func(event *Event) *Event // last word on each event; nil drops it
	Logger       *slog.Logger              // slog.Default()
	Transport    http.RoundTripper         // for tests and proxies of your own
}

// Set makes an optional field of Config: nightbell.Config{SampleRate: nightbell.Set(0.1)}.
func Set[T any](value T) *T { return &value }

// ConfigError is a configuration that [New] refuses.
type ConfigError struct {
	Option  string // such as "timeout_ms"
	Code    string // required, bad_format, out_of_range or insecure
	Message string // says what to do
}

func (e *ConfigError) Error() string { return "nightbell: " + e.Message }

// settings is the effective configuration.
type settings struct {
	apiKey, serviceKey, baseURL                string
	environment, release, serverName, spoolDir string
	caFile                                     string
	timeout, flushTimeout                      time.Duration
	autoCapture, debug, disabled, enabled      bool
	sampleRate                                 float64
	maxQueue, maxRetries                       int
	redactKeys                                 []string
	ignoreErrors                               []error
	beforeSend                                 func(*Event) *Event
}

// credential authenticates: the API key if there is one.
func (s *settings) credential() string {
	if s.apiKey != "" {
		return s.apiKey
	}
	return s.serviceKey
}

// load makes the effective configuration: argument, then environment, then default.
func load(args Config, getenv func(string) string, hostName string) (settings, []string, error) {
	r := reader{getenv: getenv}
	s := settings{
		apiKey:       r.key("api_key", args.APIKey, "NIGHTBELL_API_KEY"),
		serviceKey:   r.key("service_key", args.ServiceKey, "NIGHTBELL_SERVICE_KEY"),
		release:      r.text(args.Release, "NIGHTBELL_RELEASE", "GITHUB_SHA", "CI_COMMIT_SHA", "VERCEL_GIT_COMMIT_SHA", "RENDER_GIT_COMMIT", "HEROKU_SLUG_COMMIT"),
		serverName:   r.text(args.ServerName, "NIGHTBELL_SERVER_NAME"),
		spoolDir:     r.text(args.SpoolDir, "NIGHTBELL_SPOOL_DIR"),
		caFile:       r.text(args.CAFile, "NIGHTBELL_CA_FILE"),
		environment:  strings.ToLower(r.text(args.Environment, "NIGHTBELL_ENVIRONMENT", "NODE_ENV", "APP_ENV", "GO_ENV")),
		redactKeys:   args.RedactKeys,
		ignoreErrors: args.IgnoreErrors,
		beforeSend:   args.BeforeSend,
	}
	if s.environment == "" {
		s.environment = "development"
	}
	if s.serverName == "" {
		s.serverName = hostName
	}
	production := s.environment == "production"

	timeout := 5000
	if production {
		timeout = 10000
	}
	s.timeout = r.milliseconds("timeout_ms", optionalDuration(args.Timeout), "NIGHTBELL_TIMEOUT_MS", timeout, 1, 600_000)
	s.flushTimeout = r.milliseconds("flush_timeout_ms", args.FlushTimeout, "NIGHTBELL_FLUSH_TIMEOUT_MS", 2000, 0, 60_000)
	s.maxRetries = r.integer("max_retries", args.MaxRetries, "NIGHTBELL_MAX_RETRIES", 3, 0, 10)
	var maxQueue *int
	if args.MaxQueue != 0 {
		maxQueue = &args.MaxQueue
	}
	s.maxQueue = r.integer("max_queue", maxQueue, "NIGHTBELL_MAX_QUEUE", 1000, 1, 100_000)
	s.sampleRate = r.share("sample_rate", args.SampleRate, "NIGHTBELL_SAMPLE_RATE")
	s.autoCapture = r.yesNo("enable_auto_capture", args.EnableAutoCapture, "NIGHTBELL_AUTO_CAPTURE", production)
	s.debug = r.yesNo("debug", args.Debug, "NIGHTBELL_DEBUG", s.environment == "development")
	s.disabled = args.Disabled || r.yesNo("disabled", nil, "NIGHTBELL_DISABLED", false)

	given := r.text(args.BaseURL, "NIGHTBELL_BASE_URL")
	s.baseURL = r.baseURL(given, args.AllowInsecure)
	if r.err != nil {
		return settings{}, nil, r.err
	}

	var warnings []string
	switch {
	case s.disabled:
	case s.credential() == "":
		if args.Strict {
			return settings{}, nil, &ConfigError{"service_key", "required", "give ServiceKey or APIKey, or set NIGHTBELL_SERVICE_KEY"}
		}
		warnings = append(warnings, "key_missing")
	default:
		s.enabled = true
		if given == "" {
			warnings = append(warnings, "base_url_missing")
		}
	}
	return s, warnings, nil
}

// reader takes values from arguments and the environment and keeps the first error.
type reader struct {
	getenv func(string) string
	err    error
}

func (r *reader) failf(option, code, format string, args ...any) {
	if r.err == nil {
		r.err = &ConfigError{option, code, option + " " + fmt.Sprintf(format, args...)}
	}
}

func (r *reader) text(arg string, variables ...string) string {
	if arg = strings.TrimSpace(arg); arg != "" {
		return arg
	}
	for _, name := range variables {
		if value := strings.TrimSpace(r.getenv(name)); value != "" {
			return value
		}
	}
	return ""
}

func (r *reader) key(option, arg, variable string) string {
	key := r.text(arg, variable)
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			r.failf(option, "bad_format", "contains a character that no key has; copy it again")
			return ""
		}
	}
	return key
}

func (r *reader) baseURL(given string, insecure bool) string {
	if given == "" {
		return defaultBaseURL
	}
	const option = "base_url"
	u, err := url.Parse(given)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" {
		r.failf(option, "bad_format", "must be a whole address, such as https://nightbell.example.com")
		return ""
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		r.failf(option, "bad_format", "must have no user, query or fragment")
		return ""
	}
	if u.Scheme == "http" && !insecure && !isLoopback(u.Hostname()) {
		r.failf(option, "insecure", "must begin with https://, because anybody between could read the key; AllowInsecure permits it")
		return ""
	}
	return strings.TrimRight(given, "/")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}

func (r *reader) integer(option string, arg *int, variable string, fallback, least, most int) int {
	value := fallback
	if arg != nil {
		value = *arg
	} else if text := r.text("", variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			r.failf(option, "bad_format", "must be a whole number, not %q", text)
			return fallback
		}
		value = n
	}
	if value < least || value > most {
		r.failf(option, "out_of_range", "must be between %d and %d, not %d", least, most, value)
	}
	return value
}

func (r *reader) milliseconds(option string, arg *time.Duration, variable string, fallback, least, most int) time.Duration {
	var ms *int
	if arg != nil {
		ms = Set(int(*arg / time.Millisecond))
	}
	return time.Duration(r.integer(option, ms, variable, fallback, least, most)) * time.Millisecond
}

func optionalDuration(d time.Duration) *time.Duration {
	if d == 0 {
		return nil
	}
	return &d
}

func (r *reader) share(option string, arg *float64, variable string) float64 {
	value := 1.0
	if arg != nil {
		value = *arg
	} else if text := r.text("", variable); text != "" {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			r.failf(option, "bad_format", "must be a number between 0 and 1, not %q", text)
			return 1
		}
		value = f
	}
	if math.IsNaN(value) || value < 0 || value > 1 {
		r.failf(option, "out_of_range", "must be between 0 and 1")
	}
	return value
}

func (r *reader) yesNo(option string, arg *bool, variable string, fallback bool) bool {
	if arg != nil {
		return *arg
	}
	switch text := r.text("", variable); strings.ToLower(text) {
	case "":
		return fallback
	case "1", "true", "yes", "on":
		return true
	case "0", "false", "no", "off":
		return false
	default:
		r.failf(option, "bad_format", "must be true or false, not %q", text)
		return fallback
	}
}

// mask shows which key it is without showing the key.
func mask(key string) string {
	if len(key) < 16 {
		return "..."
	}
	kind := ""
	if i := strings.IndexByte(key, '_'); i > 0 && i < 8 {
		kind = key[:i+1]
	}
	return kind + "..." + key[len(key)-4:]
}
