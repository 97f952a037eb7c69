package nightbell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// What is exported is what surface.json lists: a name is added or removed on purpose.
func TestSurface(t *testing.T) {
	var file struct {
		About  string
		Client []string
		Only   map[string]struct{ Client, Package []string }
	}
	readVectors(t, "surface", &file)
	methods, names := exported(t)
	want := slices.Clone(file.Only["go"].Client)
	for _, name := range file.Client {
		want = append(want, camel(name))
	}
	slices.Sort(want)
	if !slices.Equal(methods, want) {
		t.Errorf("methods of Client\n%v\nsurface.json\n%v", methods, want)
	}
	if want := slices.Sorted(slices.Values(file.Only["go"].Package)); !slices.Equal(names, want) {
		t.Errorf("names of the package\n%q\nsurface.json\n%q", names, want)
	}
}

func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// exported lists the methods of Client and the names of the package.
func exported(t *testing.T) (methods, names []string) {
	t.Helper()
	packages, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0) //nolint:staticcheck // one package without build tags
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range packages["nightbell"].Files {
		for _, declaration := range source.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv == nil:
					names = append(names, d.Name.Name)
				case receiver(d) == "Client":
					methods = append(methods, d.Name.Name)
				}
			case *ast.GenDecl:
				names = append(names, declared(d)...)
			}
		}
	}
	slices.Sort(methods)
	slices.Sort(names)
	return methods, names
}

func receiver(d *ast.FuncDecl) string {
	if star, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
		if name, ok := star.X.(*ast.Ident); ok {
			return name.Name
		}
	}
	return ""
}

func declared(d *ast.GenDecl) (names []string) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
