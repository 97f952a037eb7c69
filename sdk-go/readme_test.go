package nightbell_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var readmeRegion = regexp.MustCompile("(?s)<!-- region: (\\S+) (\\S+) -->\n```go\n(.*?)```")

// What README shows is what the examples do.
func TestReadmeShowsTheExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := readmeRegion.FindAllStringSubmatch(string(readme), -1)
	if blocks := strings.Count(string(readme), "```go\n"); len(found) != blocks {
		t.Errorf("%d of %d blocks of Go name a region", len(found), blocks)
	}
	for _, match := range found {
		source, err := os.ReadFile(match[1])
		if err != nil {
			t.Fatal(err)
		}
		if want := region(string(source), match[2]); want != match[3] {
			t.Errorf("%s %s is\n%s\nREADME says\n%s", match[1], match[2], want, match[3])
		}
	}
}

// region is the text between #region name and #endregion, without its indentation.
func region(source, name string) string {
	_, rest, _ := strings.Cut(source, "// #region "+name+"\n")
	rest, _, _ = strings.Cut(rest, "// #endregion")
	lines := strings.SplitAfter(rest, "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], "\t"))
	for n := range lines {
		lines[n] = strings.TrimPrefix(lines[n], strings.Repeat("\t", indent))
	}
	return strings.TrimRight(strings.Join(lines, ""), "\t")
}
