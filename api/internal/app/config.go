package app

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/nightbell/nightbell/api/internal/channel/email"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/embedded"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
	"github.com/nightbell/nightbell/api/internal/platform/web"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// Config is everything that can be set. Each field is a flag and the environment
// variable of its tag; it is read once, at the start. Secrets are never printed.
type Config struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" help:"PostgreSQL to use instead of the private one that Nightbell starts by itself." placeholder:"URL"`
	Listen      string `env:"NIGHTBELL_LISTEN" default:"127.0.0.1:8480" help:"Address to listen on."`
	OpsListen   string `env:"NIGHTBELL_OPS_LISTEN" help:"Address for /metrics and /readyz alone, which the other address then does not serve." placeholder:"ADDRESS"`
	DataDir     string `env:"NIGHTBELL_DATA_DIR" help:"Folder for the private PostgreSQL and generated secrets." placeholder:"DIR"`
	PublicURL   string `name:"public-url" env:"NIGHTBELL_PUBLIC_URL" help:"Where people and senders reach Nightbell; http:// and the listen address when not set." placeholder:"URL"`
	JWTSecret   string `name:"jwt-secret" env:"NIGHTBELL_JWT_SECRET" help:"32 random bytes in hexadecimal that sign access tokens; generated and kept in the data directory when not set." placeholder:"HEX"`
	DataKey     string `env:"NIGHTBELL_DATA_KEY" help:"32 random bytes in hexadecimal that seal stored secrets; generated and kept in the data directory when not set." placeholder:"HEX"`

	SMTPHost     string `name:"smtp-host" env:"NIGHTBELL_SMTP_HOST" help:"Mail server. Without one, mail lands on the built-in /inbox." placeholder:"HOST"`
	SMTPPort     int    `name:"smtp-port" env:"NIGHTBELL_SMTP_PORT" default:"587" help:"Port of the mail server."`
	SMTPUsername string `name:"smtp-username" env:"NIGHTBELL_SMTP_USERNAME" help:"User of the mail server." placeholder:"NAME"`
	SMTPPassword string `name:"smtp-password" env:"NIGHTBELL_SMTP_PASSWORD" help:"Password of that user." placeholder:"SECRET"`
	SMTPFrom     string `name:"smtp-from" env:"NIGHTBELL_SMTP_FROM" default:"Nightbell <nightbell@localhost>" help:"Sender of mails."`

	Registration string `env:"NIGHTBELL_REGISTRATION" enum:"open,invite,closed" default:"open" help:"Who may make an account: ${enum}. The first account is always allowed."`

	DemoGuest bool `name:"demo-guest" env:"NIGHTBELL_DEMO_GUEST" help:"Let anybody look around the demo workspace, also from beyond this machine. Guests change nothing."`

	CompanyName   string `env:"NIGHTBELL_COMPANY_NAME" help:"Who runs this installation, on its public pages; a sample when not set." placeholder:"NAME"`
	PostalAddress string `env:"NIGHTBELL_POSTAL_ADDRESS" help:"Their postal address, its lines parted by semicolons." placeholder:"LINES"`
	SalesEmail    string `env:"NIGHTBELL_SALES_EMAIL" help:"Where visitors of the public pages ask for an offer." placeholder:"ADDRESS"`
	SupportEmail  string `env:"NIGHTBELL_SUPPORT_EMAIL" help:"Where visitors of the public pages ask for help." placeholder:"ADDRESS"`

	DeadmanURL     string   `name:"deadman-url" env:"NIGHTBELL_DEADMAN_URL" help:"Pinged every 30 seconds while pages go out in time, so that something outside notices when they do not." placeholder:"URL"`
	RetentionDays  int      `env:"NIGHTBELL_RETENTION_DAYS" default:"90" help:"How many days pages, deliveries and received alerts are kept; docs-mdx/retention.md lists everything." placeholder:"DAYS"`
	EgressAllow    []string `name:"egress-allow" env:"NIGHTBELL_EGRESS_ALLOW" help:"Networks (CIDR) besides the public internet that webhooks may reach." placeholder:"CIDR"`
	TrustedProxies []string `env:"NIGHTBELL_TRUSTED_PROXIES" help:"Networks (CIDR) whose X-Forwarded-For is believed." placeholder:"CIDR"`

	QuotaContacts  int `env:"NIGHTBELL_QUOTA_CONTACTS" default:"1000" help:"Contact methods that one organization may have." placeholder:"N"`
	QuotaIncidents int `env:"NIGHTBELL_QUOTA_INCIDENTS" default:"300000" help:"Incidents a minute above which the pages of one organization are bundled." placeholder:"N"`
	QuotaStored    int `env:"NIGHTBELL_QUOTA_STORED_MIB" default:"10240" help:"MiB of alerts a day above which those of one organization are stored in short." placeholder:"MIB"`
	QuotaStreams   int `env:"NIGHTBELL_QUOTA_STREAMS" default:"500" help:"Live screens that one organization may have open." placeholder:"N"`
	QuotaRequests  int `env:"NIGHTBELL_QUOTA_REQUESTS" default:"60000" help:"Calls a minute that one account or API key may make, besides those that answer incidents." placeholder:"N"`
	QuotaSent      int `env:"NIGHTBELL_QUOTA_SENT" default:"300000" help:"Calls a minute that may bring events about one service, and as many each changes, samples and pings." placeholder:"N"`

	LogLevel  string `env:"NIGHTBELL_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"What to log: ${enum}."`
	LogFormat string `env:"NIGHTBELL_LOG_FORMAT" enum:"text,json" default:"text" help:"How to log: ${enum}."`
}

// defaultRetentionDays is the flag's default too.
const defaultRetentionDays = 90

// settings are the checked form of a Config.
type settings struct {
	Config
	egressAllow, trustedProxies []netip.Prefix
	jwtSecret, dataKey          []byte
	quotas                      org.Quotas
	company                     web.Company
}

// readQuotas gives what is set, and the defaults for what is not.
func (c Config) readQuotas() (org.Quotas, error) {
	quotas := org.Quotas{
		Contacts:           cmp.Or(c.QuotaContacts, org.DefaultQuotas.Contacts),
		IncidentsPerMinute: cmp.Or(c.QuotaIncidents, org.DefaultQuotas.IncidentsPerMinute),
		StoredMiBPerDay:    cmp.Or(c.QuotaStored, org.DefaultQuotas.StoredMiBPerDay),
		Streams:            cmp.Or(c.QuotaStreams, org.DefaultQuotas.Streams),
		RequestsPerMinute:  cmp.Or(c.QuotaRequests, org.DefaultQuotas.RequestsPerMinute),
		SentPerMinute:      cmp.Or(c.QuotaSent, org.DefaultQuotas.SentPerMinute),
	}
	if min(quotas.Contacts, quotas.IncidentsPerMinute, quotas.StoredMiBPerDay, quotas.Streams, quotas.RequestsPerMinute, quotas.SentPerMinute) < 0 {
		return quotas, errors.New("expected a number above 0")
	}
	return quotas, nil
}

// check reads every value and names each variable that does not fit with what is
// expected of it.
func (c Config) check() (settings, error) {
	s := settings{Config: c}
	var problems []error
	refuse := func(variable string, err error) {
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", variable, err))
		}
	}
	var err error
	if s.DataDir == "" {
		s.DataDir, err = embedded.DefaultDataDir()
		refuse("NIGHTBELL_DATA_DIR", err)
	}
	refuse("NIGHTBELL_LISTEN", checkListen(c.Listen))
	if c.OpsListen != "" {
		refuse("NIGHTBELL_OPS_LISTEN", checkListen(c.OpsListen))
	}
	s.PublicURL, err = publicURL(c.PublicURL, c.Listen)
	refuse("NIGHTBELL_PUBLIC_URL", err)
	refuse("DATABASE_URL", checkDatabaseURL(c.DatabaseURL))
	refuse("NIGHTBELL_DEADMAN_URL", checkURL(c.DeadmanURL))
	s.egressAllow, err = prefixes(c.EgressAllow)
	refuse("NIGHTBELL_EGRESS_ALLOW", err)
	s.trustedProxies, err = prefixes(c.TrustedProxies)
	refuse("NIGHTBELL_TRUSTED_PROXIES", err)
	s.jwtSecret, err = optionalKey(c.JWTSecret)
	refuse("NIGHTBELL_JWT_SECRET", err)
	s.dataKey, err = optionalKey(c.DataKey)
	refuse("NIGHTBELL_DATA_KEY", err)
	if s.RetentionDays = cmp.Or(c.RetentionDays, defaultRetentionDays); s.RetentionDays < watch.LeastRetentionDays {
		refuse("NIGHTBELL_RETENTION_DAYS", fmt.Errorf("expected %d days or more", watch.LeastRetentionDays))
	}
	s.quotas, err = c.readQuotas()
	refuse("NIGHTBELL_QUOTA_CONTACTS, NIGHTBELL_QUOTA_INCIDENTS, NIGHTBELL_QUOTA_STORED_MIB, NIGHTBELL_QUOTA_STREAMS, NIGHTBELL_QUOTA_REQUESTS, NIGHTBELL_QUOTA_SENT", err)
	s.company.Name, err = web.ParseName(c.CompanyName)
	refuse("NIGHTBELL_COMPANY_NAME", err)
	s.company.Address, err = web.ParsePostalAddress(c.PostalAddress)
	refuse("NIGHTBELL_POSTAL_ADDRESS", err)
	s.company.SalesEmail, err = web.ParseMailAddress(c.SalesEmail)
	refuse("NIGHTBELL_SALES_EMAIL", err)
	s.company.SupportEmail, err = web.ParseMailAddress(c.SupportEmail)
	refuse("NIGHTBELL_SUPPORT_EMAIL", err)
	_, err = email.ParseSender(c.SMTPFrom)
	refuse("NIGHTBELL_SMTP_FROM", err)
	if c.SMTPHost != "" && net.ParseIP(c.SMTPHost) == nil && strings.ContainsAny(c.SMTPHost, ":/@ ") {
		refuse("NIGHTBELL_SMTP_HOST", errors.New("expected a name or an address alone, such as mail.example.com; the port is NIGHTBELL_SMTP_PORT"))
	}
	if c.SMTPPort < 1 || c.SMTPPort > 65535 {
		refuse("NIGHTBELL_SMTP_PORT", errors.New("expected a port number such as 587"))
	}
	return s, errors.Join(problems...)
}

func checkListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil || !isPort(port) {
		return fmt.Errorf("%q is no address to listen on; expected host:port with a port up to 65535, for example 127.0.0.1:8480", address)
	}
	return nil
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// checkDatabaseURL never repeats the URL: it may hold a password.
func checkDatabaseURL(text string) error {
	if text == "" {
		return nil
	}
	if _, err := pgconn.ParseConfig(text); err != nil {
		return errors.New("expected a PostgreSQL URL such as postgres://nightbell:password@db.example.com:5432/nightbell?sslmode=verify-full")
	}
	return nil
}

func checkURL(text string) error {
	if text == "" {
		return nil
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "https" && parsed.Scheme != "http") {
		return errors.New("expected a URL such as https://nightbell.example.com")
	}
	if port := parsed.Port(); port != "" && !isPort(port) {
		return errors.New("the port must be a number up to 65535")
	}
	return nil
}

// publicURL gives the URL without a slash at the end; by default the listen address.
func publicURL(text, listen string) (string, error) {
	if text != "" {
		if strings.ContainsAny(text, "?#") {
			return "", errors.New("links are made by adding a path to it; expected it without ? and #, for example https://nightbell.example.com")
		}
		return strings.TrimRight(text, "/"), checkURL(text)
	}
	host, port, _ := net.SplitHostPort(listen)
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port), nil
}

func prefixes(texts []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%q is no network; expected CIDR notation, for example 10.0.0.0/8", text)
		}
		list = append(list, prefix)
	}
	return list, nil
}

func optionalKey(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	return secret.ParseKey(text)
}

// loopback reports whether only this machine can reach the listen address.
func (s settings) loopback() bool {
	host, _, _ := net.SplitHostPort(s.Listen)
	return isLoopback(host)
}

// isLoopback reports whether a host, by name or address, is the machine itself.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// embedded reports whether Nightbell runs its own PostgreSQL.
func (s settings) embedded() bool { return s.DatabaseURL == "" }

// hasMailServer reports whether mail leaves this installation.
func (s settings) hasMailServer() bool { return s.SMTPHost != "" }

// secureDataDir makes the data directory when it is missing.
func (s settings) secureDataDir() error {
	// Others may pass through, because the private PostgreSQL runs under its own
	// account; what is secret in it is readable by us alone.
	if err := os.MkdirAll(s.DataDir, 0o755); err != nil {
		return fmt.Errorf("NIGHTBELL_DATA_DIR: %w. Choose a folder that this user may write to", err)
	}
	return nil
}
