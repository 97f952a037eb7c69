package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The direction imports may take. docs-mdx/decisions holds the reasons; when a rule
// stands in the way, the usual answer is that two domains meet in intake, paging,
// delivery, respond, handover, watch or signup.

const module = "github.com/nightbell/nightbell/api/"

// domains in import order: each may import only those before it.
var domains = []string{
	"org", "auth", "catalog", "oncall", "alert", "heartbeat", "incident",
	"escalation", "notify", "subscription", "integration", "ai", "analytics",
}

// mechanism is what a pure package must not touch.
var mechanism = []string{"github.com/jackc/pgx", "connectrpc.com/", "net/http", "database/sql"}

// exceptions are imports beside the rules: there is one text of SQL that reads a schedule, and one type
// of what is foreseen, so that whoever is shown is whoever is paged; and one text of which alerts an
// incident holds, so that none is held by two or by none.
var exceptions = map[string]string{
	"internal/escalation/escalationdb": "internal/oncall/oncalldb",
	"internal/incident/incidentdb":     "internal/alert/alertdb",
	"internal/view/explain":            "internal/paging",
}

// place says where a package stands: its ring, and the domain it belongs to if any.
type place struct{ ring, domain string }

func (p place) String() string {
	if p.domain != "" {
		return p.ring + " of " + p.domain
	}
	return p.ring
}

// placeOf reads the ring from the folder. A package outside every ring has an empty one.
func placeOf(pkg string) place {
	local := strings.TrimPrefix(pkg, module)
	parts := strings.Split(strings.TrimPrefix(local, "internal/"), "/")
	switch {
	case !strings.HasPrefix(local, "internal/"):
		return place{ring: parts[0]}
	case slices.Contains(domains, parts[0]):
		return place{ring: ringInside(parts[0], path.Base(pkg)), domain: parts[0]}
	case parts[0] == "platform" && len(parts) > 1 && (parts[1] == "postgres" || parts[1] == "failpoint"):
		return place{ring: parts[1]} // the parts of the platform that the page path stands on
	case parts[0] == "ingest" && len(parts) > 1:
		return place{ring: "parser"}
	default:
		return place{ring: parts[0]}
	}
}

func ringInside(domain, folder string) string {
	for _, ring := range []string{"db", "rpc", "job"} {
		if folder == domain+ring {
			return ring
		}
	}
	return "domain"
}

// rule says what one ring may import from this module, and what it must not import from others.
type rule struct {
	may    []string
	mayNot []string
	advice string
}

var rules = map[string]rule{
	"kernel": {
		may:    []string{"kernel"},
		mayNot: []string{"github.com/", "connectrpc.com/", "google.golang.org/", "golang.org/"},
		advice: "the kernel knows only the standard library (and google/uuid for keys)",
	},
	"domain": {
		may:    []string{"kernel", "domain"},
		mayNot: mechanism,
		advice: "a domain is rules and nouns; let its db or rpc folder, or a package named after what happens (intake, paging, respond, ...), do this",
	},
	"db": {
		may:    []string{"kernel", "domain", "postgres"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "a store knows its own domain and PostgreSQL; what crosses domains belongs in intake, paging, delivery, respond, handover, watch or signup",
	},
	"intake": {
		may:    []string{"kernel", "domain", "db", "postgres", "failpoint", "intake", "paging"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "alerts are stored the same way whoever sent them and however a page leaves",
	},
	"paging": {
		may:    []string{"kernel", "domain", "db", "postgres", "failpoint", "paging"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "who is paged depends neither on how alerts arrive nor on how a page leaves",
	},
	"delivery": {
		may:    []string{"kernel", "domain", "db", "postgres", "failpoint", "delivery"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "delivery hands messages to a notify.Channel; which provider that is, internal/app decides",
	},
	"ping": {
		may:    []string{"kernel", "domain", "db", "postgres", "failpoint", "intake", "paging", "ping"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "what a missing heartbeat opens is stored the way alerts are",
	},
	"respond": {
		may:    []string{"kernel", "domain", "db", "postgres", "failpoint", "respond", "paging"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "an answer does the same whether it comes by site, link or API",
	},
	"departure": {
		may:    []string{"kernel", "domain", "db", "postgres", "paging", "departure"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "a person leaves the same way whoever asks for it",
	},
	"handover": {
		may:    []string{"kernel", "domain", "db", "postgres", "failpoint", "handover"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "hand-overs stand beside the page path and share nothing with it",
	},
	"news": {
		may:    []string{"kernel", "domain", "db", "postgres", "failpoint", "news"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "news stands beside the page path, and nothing waits for it",
	},
	"publish": {
		may:    []string{"kernel", "domain", "db", "postgres", "failpoint", "publish", "linkmail"},
		mayNot: []string{"connectrpc.com/"},
		advice: "webhook subscriptions stand beside the page path and share nothing with it; internal/app decides how a message leaves",
	},
	"verification": {
		may:    []string{"kernel", "domain", "db", "postgres", "linkmail"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "verification stands beside the page path and shares nothing with it",
	},
	"invitation": {
		may:    []string{"kernel", "domain", "db", "postgres", "linkmail"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "invitations stand beside the page path and share nothing with it",
	},
	"forgotten": {
		may:    []string{"kernel", "domain", "db", "postgres", "linkmail"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "mails for forgotten passwords stand beside the page path and share nothing with it",
	},
	"linkmail": {
		may:    []string{"kernel", "domain", "postgres"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "how mails with links are sent depends on no kind of link",
	},
	"watch": {
		may:    []string{"kernel", "domain", "db", "postgres", "paging", "delivery", "watch"},
		mayNot: []string{"connectrpc.com/"},
		advice: "the watch looks at the page path from beside it, and calls nothing but the dead-man URL",
	},
	"signup": {
		may:    []string{"kernel", "domain", "db", "postgres", "signup"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "an account is made the same way whoever asks for it",
	},
	"pagingtest": {
		may:    []string{"kernel", "domain", "postgres", "intake", "paging", "respond"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "a fixture makes rows and the parts that page for them",
	},
	"rpc": {
		may:    []string{"kernel", "domain", "db", "paging", "respond", "signup", "departure", "view", "platform", "postgres", "gen"},
		advice: "a handler is thin: it may call paging, respond, signup, departure, stores and views, not other handlers or senders",
	},
	"job": {
		may:    []string{"kernel", "domain", "db", "paging", "respond", "view", "platform", "postgres"},
		advice: "a job calls paging, respond and stores, as a handler does",
	},
	"view": {
		may:    []string{"kernel", "domain", "postgres", "view", "gen"},
		advice: "a view only reads",
	},
	"parser": {
		may:    []string{"kernel", "domain", "parser"},
		mayNot: []string{"github.com/jackc/pgx", "connectrpc.com/", "database/sql"},
		advice: "a parser turns bytes into alerts and touches nothing else",
	},
	"ingest": {
		may:    []string{"kernel", "domain", "db", "platform", "postgres", "parser"},
		mayNot: []string{"connectrpc.com/"},
		advice: "ingest receives alerts; it neither answers RPCs nor sends pages",
	},
	"channel": {
		may:    []string{"kernel", "domain", "platform", "channel"},
		mayNot: []string{"github.com/jackc/pgx", "connectrpc.com/", "database/sql"},
		advice: "a channel sends what it is given; what to send is decided and stored elsewhere",
	},
	"backup": {
		may:    []string{"postgres"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "a backup knows tables, and nothing of what is in them",
	},
	"enquiry": {
		may:    []string{"kernel", "platform", "postgres", "gen", "enquiry"},
		mayNot: []string{"connectrpc.com/"},
		advice: "what visitors leave belongs to no organization and touches nothing of theirs",
	},
	"installation": {
		may:    []string{"kernel", "platform", "postgres", "gen"},
		mayNot: []string{"connectrpc.com/", "net/http"},
		advice: "it knows whose database this is, not what the product is about",
	},
	"failpoint": {advice: "it must change nothing in a released binary"},
	"platform": {
		may:    []string{"kernel", "platform", "postgres", "failpoint", "gen"},
		advice: "the platform must not know what the product is about",
	},
	"postgres": {
		may:    []string{"kernel", "platform", "postgres", "failpoint"},
		mayNot: []string{"connectrpc.com/"},
		advice: "the platform must not know what the product is about",
	},
	"ackpage": {
		may:    []string{"kernel", "domain", "respond", "platform"},
		mayNot: []string{"github.com/jackc/pgx", "connectrpc.com/", "database/sql"},
		advice: "the page behind a message's link shows what respond tells it",
	},
	"demo": {
		may:    []string{"kernel", "domain", "db", "intake", "paging", "respond", "signup", "departure", "platform", "postgres"},
		advice: "the demo workspace is rows written the way the product writes them",
	},
	"cmd": {
		may:    []string{"kernel", "app", "platform", "postgres"},
		advice: "a command holds no logic; internal/app wires the rest",
	},
	"gen": {may: []string{"gen"}, advice: "generated code stands alone"},
}

func TestImportDirections(t *testing.T) {
	for _, pkg := range listPackages(t) {
		for _, imported := range pkg.Imports {
			if sentence := broken(pkg.ImportPath, imported); sentence != "" {
				t.Error(sentence)
			}
		}
		ring := placeOf(pkg.ImportPath).ring
		if _, ruled := rules[ring]; !ruled && ring != "app" && strings.HasPrefix(pkg.ImportPath, module+"internal/") {
			t.Errorf("%s stands in no ring. Say in the table of rules what %q may import.", shorten(pkg.ImportPath), ring)
		}
	}
}

// databaseClock is SQL that reads a clock by itself. Whoever pages must be given the
// time instead: it is read once a sweep, and tests move it.
var databaseClock = regexp.MustCompile(
	`(?i)\b(now|clock_timestamp|statement_timestamp|transaction_timestamp)\s*\(\)|\bcurrent_(timestamp|date|time)\b`)

func TestPagePathQueriesAreGivenTheTime(t *testing.T) {
	for _, domain := range []string{"oncall", "alert", "incident", "escalation", "notify"} {
		root := os.DirFS("internal/" + domain)
		err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
			sqlFile := strings.HasSuffix(name, ".sql")
			goFile := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
			if err != nil || entry.IsDir() || !sqlFile && !goFile {
				return err
			}
			text, err := fs.ReadFile(root, name)
			for i, line := range strings.Split(string(text), "\n") {
				if databaseClock.MatchString(line) && !isComment(line) {
					t.Errorf("internal/%s/%s:%d reads the database's clock; pass the time as an argument", domain, name, i+1)
				}
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// TestTheStoryNamesFilesThatExist reads the walk in the README.
func TestTheStoryNamesFilesThatExist(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, story, _ := strings.Cut(string(readme), "\n## The story of one alert\n")
	story, _, _ = strings.Cut(story, "\n## ")
	goFile := regexp.MustCompile("`([a-z/_]+\\.go)`")
	files := goFile.FindAllStringSubmatch(story, -1)
	table, rest, _ := strings.Cut(story, "\nWho is paged next, ")
	next, _, _ := strings.Cut(rest, " The answer is ")
	if walk, following := len(goFile.FindAllString(table, -1)), len(goFile.FindAllString(next, -1)); walk != 12 || following != 6 {
		t.Errorf("the walk names %d files, want 12, and who is paged next %d, want 6", walk, following)
	}
	for _, file := range files {
		if _, err := os.Stat("internal/" + file[1]); err != nil {
			t.Errorf("the README sends its reader to api/internal/%s: %v", file[1], err)
		}
	}
}

// TestCommentsAreShort: a reader holds three lines in mind beside the code. What needs more belongs into the package
// comment, or into docs-mdx/decisions. Directives do not count.
func TestCommentsAreShort(t *testing.T) {
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, at := range longComments(files, file) {
			t.Errorf("%s: this comment has more than three lines; say the trick, then the reason, or say it in the package comment", at)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longComments are where comments of more than three lines begin, the package comment and what stands before it apart.
func longComments(files *token.FileSet, file *ast.File) (at []token.Position) {
	for _, group := range file.Comments {
		if isPackageComment := group.End() < file.Package; !isPackageComment && strings.Count(group.Text(), "\n") > 3 {
			at = append(at, files.Position(group.Pos()))
		}
	}
	return at
}

func TestLongCommentsAreSeen(t *testing.T) {
	for comment, long := range map[string]bool{
		"// 1\n// 2\n// 3\n//\n//go:embed x\nvar x int":                    false,
		"// 1\n// 2\n// 3\n// 4\nvar x int":                                true,
		"// 1\n//\n//\tx := 1\n//\n// 2\nvar x int":                        true,
		"/* 1\n2\n3\n4 */\nvar x int":                                      true,
		"type x struct {\n\t// 1\n\t// 2\n\t// 3\n\t// 4\n\ta int\n}":      true,
		"func x() {\n\t// 1\n\t// 2\n\t// 3\n\t// 4\n}":                    true,
		"const x = `\n// 1\n// 2\n// 3\n// 4\n`":                           false,
		"var (\n\ta = 1 // 1\n\tb = 2 // 2\n\tc = 3 // 3\n\td = 4 // 4\n)": false,
	} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "x.go", "// 1\n// 2\n// 3\n// 4\npackage x\n\n"+comment+"\n", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if at := longComments(files, file); len(at) > 0 != long {
			t.Errorf("%q: got %v", comment, at)
		}
	}
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "--") || strings.HasPrefix(line, "//")
}

func TestBrokenDirectionsAreSeen(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"internal/incident", module + "internal/alert", true},
		{"internal/alert", module + "internal/incident", false},
		{"internal/incident", module + "internal/platform/sweep", false},
		{"internal/incident", "github.com/jackc/pgx/v5", false},
		{"internal/incident", "net/http", false},
		{"internal/incident", "net/http/httptest", false},
		{"internal/incident/incidentdb", "github.com/jackc/pgx/v5", true},
		{"internal/incident/incidentdb", module + "internal/notify", false},
		{"internal/incident/incidentdb", module + "internal/alert/alertdb", true},
		{"internal/incident/incidentdb", module + "internal/notify/notifydb", false},
		{"internal/alert/alertdb", module + "internal/incident/incidentdb", false},
		{"internal/escalation/escalationdb", module + "internal/oncall/oncalldb", true},
		{"internal/oncall/oncalldb", module + "internal/escalation/escalationdb", false},
		{"internal/view/explain", module + "internal/paging", true},
		{"internal/view/incidents", module + "internal/paging", false},
		{"internal/intake", module + "internal/alert/alertdb", true},
		{"internal/intake", module + "internal/paging", true},
		{"internal/intake", module + "internal/respond", false},
		{"internal/intake", module + "internal/channel/email", false},
		{"internal/respond", module + "internal/paging", true},
		{"internal/respond", module + "internal/incident/incidentrpc", false},
		{"internal/paging", module + "internal/intake", false},
		{"internal/paging", module + "internal/delivery", false},
		{"internal/paging", module + "internal/pagingtest", false},
		{"internal/delivery", module + "internal/paging", false},
		{"internal/delivery", module + "internal/channel/email", false},
		{"internal/delivery", "net/http", false},
		{"internal/handover", module + "internal/delivery", false},
		{"internal/watch", module + "internal/delivery", true},
		{"internal/watch", module + "internal/app", false},
		{"internal/platform/live", module + "internal/incident", false},
		{"internal/kernel/id", "github.com/google/uuid", true},
		{"internal/kernel/page", "github.com/google/uuid", false},
		{"internal/channel/email", module + "internal/channel/sms", true},
		{"internal/app", module + "internal/channel/email", true},
		{"internal/intake", module + "internal/app", false},
		{"cmd/nightbell", module + "internal/app", true},
	} {
		if sentence := broken(module+c.from, c.to); (sentence == "") != c.ok {
			t.Errorf("%s importing %s: got %q", c.from, c.to, sentence)
		}
	}
}

// broken answers with a sentence when from must not import to, and is empty otherwise.
func broken(from, to string) string {
	source := placeOf(from)
	r, ruled := rules[source.ring]
	if !ruled { // app and the whole-story tests may import everything
		return ""
	}
	if !strings.HasPrefix(to, module) {
		return brokenOutside(from, to, r)
	}
	target := placeOf(to)
	if exceptions[shorten(from)] == shorten(to) {
		return ""
	}
	if !slices.Contains(r.may, target.ring) {
		return fmt.Sprintf("%s imports %s, but %s may not import %s: %s",
			shorten(from), shorten(to), source, target, r.advice)
	}
	if isRightOf(source, target) {
		return fmt.Sprintf("%s imports %s, but %s may import only domains to its left (%s): %s",
			shorten(from), shorten(to), source, strings.Join(domains, ", "), r.advice)
	}
	return ""
}

func brokenOutside(from, to string, r rule) string {
	if strings.HasSuffix(from, "/kernel/id") && to == "github.com/google/uuid" {
		return ""
	}
	for _, banned := range r.mayNot {
		if to == banned || strings.HasPrefix(to, strings.TrimSuffix(banned, "/")+"/") {
			return fmt.Sprintf("%s imports %s, but %s", shorten(from), to, r.advice)
		}
	}
	return ""
}

// isRightOf holds when a package of one domain reaches for a domain it must not know.
// Stores of other domains are forbidden to everything but intake, paging and their like, by rule.may.
func isRightOf(source, target place) bool {
	if source.domain == "" || source.ring == "rpc" || source.ring == "job" {
		return false
	}
	return slices.Index(domains, target.domain) > slices.Index(domains, source.domain)
}

func shorten(pkg string) string { return strings.TrimPrefix(pkg, module) }

type listedPackage struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports", "./...")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, complaint.String())
	}
	var all []listedPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one listedPackage
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("reading go list: %v", err)
		}
		all = append(all, one)
	}
}
