package nightbell

import "testing"

func TestCrashLine(t *testing.T) {
	for text, want := range map[string]struct {
		file string
		line int
	}{
		"\t/src/main.go:12 +0x1f":       {"/src/main.go", 12},
		"\t/src/main.go:12":             {"/src/main.go", 12},
		"\tC:/my src/main.go:7 +0xff":   {"C:/my src/main.go", 7},
		"\t/a +0x1 b/main.go:3 +0x20":   {"/a +0x1 b/main.go", 3},
		"\t/a +0x1/main.go:3":           {"/a +0x1/main.go", 3},
		"main.main()":                   {},
		"\tno place":                    {},
		"\t:12":                         {},
		"/src/main.go:12":               {},
		"\t/src/main.go:twelve +0x1f":   {},
		"\t/src/main.go:12 exit code 2": {},
	} {
		file, line, ok := crashLine(text)
		if file != want.file && ok || line != want.line && ok || ok != (want.file != "") {
			t.Errorf("%q is %q, %d, %v", text, file, line, ok)
		}
	}
}
