// Command errortable writes the table of all error codes from the calls that make them, so that no
// code is undocumented and none is documented that does not exist: docs-mdx/errors.md for readers,
// and the same as JSON for the site's page, which "help" of every error leads to. It runs in api/.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	page = "../docs-mdx/errors.md"
	data = "../site/app/features/docs/error-codes.json"
)

// statuses are the HTTP statuses of kinds, and whether the same request may be sent again.
var statuses = map[string]struct {
	number int
	again  bool
}{
	"Invalid": {400, false}, "Unauthenticated": {401, false}, "Denied": {403, false}, "NotFound": {404, false}, "WrongVerb": {405, false},
	"Conflict": {409, false}, "Stale": {412, false}, "TooLarge": {413, false}, "Unsupported": {415, false}, "Unprocessable": {422, false},
	"Limited": {429, true}, "Internal": {500, true}, "Unavailable": {503, true},
}

// entry is one code.
type entry struct {
	Code   string `json:"code"`
	Status int    `json:"status"`
	Again  bool   `json:"again"`
	// Messages are the sentences that come with it; … stands for what differs.
	Messages []string `json:"messages"`
}

func main() {
	entries, err := read("internal")
	if err == nil {
		err = write(entries)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "errortable:", err)
		os.Exit(1)
	}
}

// read finds every fault.New and fault.Newf below root.
func read(root string) ([]entry, error) {
	found := map[string]*entry{}
	err := filepath.WalkDir(root, func(path string, file fs.DirEntry, err error) error {
		if err != nil || file.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		words := constants(parsed)
		again := map[ast.Expr]bool{} // those that say after how many seconds to send it again
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || err != nil {
				return true
			}
			if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "After" {
				again[method.X] = true
			}
			if makesFault(call, parsed.Name.Name) {
				err = words.add(found, call, again[call])
			}
			return true
		})
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	var entries []entry
	for _, one := range found {
		slices.Sort(one.Messages)
		one.Messages = slices.Compact(one.Messages)
		entries = append(entries, *one)
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.Code, b.Code) })
	return entries, err
}

func makesFault(call *ast.CallExpr, pkg string) bool {
	switch callee := call.Fun.(type) {
	case *ast.SelectorExpr:
		of, ok := callee.X.(*ast.Ident)
		return ok && of.Name == "fault" && (callee.Sel.Name == "New" || callee.Sel.Name == "Newf")
	case *ast.Ident:
		return pkg == "fault" && callee.Name == "New" && len(call.Args) == 3 && nameOf(call.Args[0]) != "kind"
	}
	return false
}

func (c words) add(found map[string]*entry, call *ast.CallExpr, again bool) error {
	code, ok := c.text(call.Args[1])
	if !ok {
		return fmt.Errorf("write the code of a fault as a literal or a constant of its file, so that the table of errors can name it")
	}
	kind := statuses[nameOf(call.Args[0])]
	if kind.number == 0 {
		return fmt.Errorf("%s: write its kind as one of the constants of fault", code)
	}
	known := found[code]
	if known == nil {
		known = &entry{Code: code, Status: kind.number, Again: kind.again, Messages: []string{}}
		found[code] = known
	}
	known.Again = known.Again || again
	if known.Status != kind.number {
		return fmt.Errorf("%s is answered with both %d and %d; a code has one status", code, known.Status, kind.number)
	}
	if message, ok := c.text(call.Args[2]); ok {
		for _, verb := range []string{"%s", "%d", "%q", "%v", "%T"} {
			message = strings.ReplaceAll(message, verb, "…")
		}
		known.Messages = append(known.Messages, message)
	}
	return nil
}

func nameOf(kind ast.Expr) string {
	switch kind := kind.(type) {
	case *ast.SelectorExpr:
		return kind.Sel.Name
	case *ast.Ident:
		return kind.Name
	}
	return ""
}

// words are the string constants of a file.
type words map[string]ast.Expr

func constants(file *ast.File) words {
	found := words{}
	for _, declaration := range file.Decls {
		block, ok := declaration.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		for _, spec := range block.Specs {
			constant, _ := spec.(*ast.ValueSpec)
			for i, value := range constant.Values {
				found[constant.Names[i].Name] = value
			}
		}
	}
	return found
}

// text reads literals, constants and sums of them; a part that is none is "…", unless all are.
func (c words) text(value ast.Expr) (string, bool) {
	switch value := value.(type) {
	case *ast.Ident:
		return c.text(c[value.Name])
	case *ast.BasicLit:
		plain, err := strconv.Unquote(value.Value)
		return plain, err == nil
	case *ast.BinaryExpr:
		left, leftOK := c.text(value.X)
		right, rightOK := c.text(value.Y)
		if !leftOK {
			left = "…"
		}
		if !rightOK {
			right = "…"
		}
		return left + right, leftOK || rightOK
	}
	return "", false
}

const intro = `{/* Generated by make generate from the calls of fault.New. Do not edit. */}

# Errors

Every refusal has one form, whatever the call:

~~~json
{"code": "invalid_fields", "message": "title is required.", "details": [{"field": "title", "code": "required", "message": "is required"}], "request_id": "0192...", "help": "/docs/errors#invalid_fields"}
~~~

Programs decide by ` + "`code`" + `, people read ` + "`message`" + `. Over Connect and gRPC the same stands in the details ErrorInfo, BadRequest, RequestInfo and Help. New codes may be added: treat one that you do not know by its HTTP status.

Codes of fields: ` + "`required`, `unknown`, `too_long`, `out_of_range`, `not_one_of`, `bad_format`, `not_found`" + `. An id in a body that names nothing is 422 with ` + "`not_found`" + `; 404 is for the path.

Send the same request again, after Retry-After, where the last column says so; anything else has to be changed first.

| Code | Status | Message | Send again |
|---|---|---|---|
`

func write(entries []entry) error {
	var table strings.Builder
	table.WriteString(intro)
	for _, one := range entries {
		again := "no"
		if one.Again {
			again = "yes"
		}
		fmt.Fprintf(&table, "| <a id=\"%s\"></a>`%s` | %d | %s | %s |\n", one.Code, one.Code, one.Status, cmp.Or(strings.Join(one.Messages, "<br/>"), "A sentence about this request."), again)
	}
	if err := os.WriteFile(page, []byte(table.String()), 0o644); err != nil { //nolint:gosec // a page for everybody
		return err
	}
	list, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(data), 0o755); err != nil {
		return err
	}
	return os.WriteFile(data, append(list, '\n'), 0o644) //nolint:gosec // data for everybody
}
