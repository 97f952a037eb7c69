package postgres

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPoolerDocsCountTheConnections: who sizes a pooler by the docs must not starve a page.
func TestPoolerDocsCountTheConnections(t *testing.T) {
	docs, err := os.ReadFile("../../../../docs-mdx/pooler.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := int32(0)
	for name, settings := range pools {
		sum += settings.conns
		if row := fmt.Sprintf("| %s | %d |", name, settings.conns); !strings.Contains(string(docs), row) {
			t.Errorf("docs-mdx/pooler.md lacks the row %q", row)
		}
	}
	if want := fmt.Sprintf("up to %d connections", sum); !strings.Contains(string(docs), want) {
		t.Errorf("docs-mdx/pooler.md does not say %q", want)
	}
}
