package nightbell

import (
	"errors"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// stackDepth is how many callers are looked at; 50 frames are sent.
const stackDepth = 48

// chain is an error and its causes, depth first, each once, at most eight. Errors
// that wrap themselves end it.
func chain(err error) []error {
	var found []error
	pending := []error{err}
	for len(pending) > 0 && len(found) < maxExceptions {
		err, pending = pending[0], pending[1:]
		if err == nil || containsSame(found, err) {
			continue
		}
		found = append(found, err)
		switch wrapped := err.(type) { //nolint:errorlint // this walk is what errors.As does
		case interface{ Unwrap() error }:
			pending = append([]error{wrapped.Unwrap()}, pending...)
		case interface{ Unwrap() []error }:
			causes := wrapped.Unwrap()
			pending = append(slices.Clip(causes), pending...)
		}
	}
	return found
}

func containsSame(errs []error, err error) bool {
	for _, other := range errs {
		if same(other, err) {
			return true
		}
	}
	return false
}

// same compares without the panic of types that cannot be compared. Values without
// identity, such as empty structs, are never the same.
func same(a, b error) bool {
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && t.Kind() == reflect.Pointer && t.Elem().Size() > 0 && a == b //nolint:errorlint // identity is the question
}

// describe makes an exception of an error. Its Error method may panic.
func describe(err error) (e Exception) {
	e.Type = typeName(err)
	defer func() {
		if recover() != nil {
			e.Message = "(its Error method panics)"
		}
	}()
	e.Message = strings.Clone(err.Error())
	return e
}

// typeName is "error" for the types of errors.New, fmt.Errorf and errors.Join, which
// say nothing.
func typeName(err error) string {
	switch name := reflect.TypeOf(err).String(); name {
	case "*errors.errorString", "*fmt.wrapError", "*fmt.wrapErrors", "*errors.joinError":
		return "error"
	default:
		return strings.TrimPrefix(name, "*")
	}
}

// framesOf turns program counters into frames. After a panic, what the runtime and
// the recovering function did in between is left out.
func framesOf(pcs []uintptr, panicked bool) []Frame {
	if len(pcs) == 0 {
		return nil
	}
	var frames []Frame
	for callers := runtime.CallersFrames(pcs); ; {
		f, more := callers.Next()
		if panicked && f.Function == "runtime.gopanic" {
			frames = frames[:0]
			more = skipRuntime(callers, &frames) && more
		} else if f.Function != "runtime.goexit" && f.Function != "runtime.main" {
			frames = append(frames, frameOf(f.Function, f.File, f.Line))
		}
		if !more {
			return frames
		}
	}
}

// skipRuntime passes over sigpanic and the like, and adds the frame that panicked.
func skipRuntime(callers *runtime.Frames, frames *[]Frame) bool {
	for {
		f, more := callers.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			*frames = append(*frames, frameOf(f.Function, f.File, f.Line))
			return more
		}
		if !more {
			return false
		}
	}
}

// frameOf splits "example.com/shop/cart.(*Cart).Pay" into its package and function.
func frameOf(function, file string, line int) Frame {
	f := Frame{File: file, Line: line, Function: function}
	slash := strings.LastIndexByte(function, '/') + 1
	if dot := strings.IndexByte(function[slash:], '.'); dot >= 0 {
		f.Module, f.Function = function[:slash+dot], function[slash+dot+1:]
	}
	f.InApp = inApp(f.Module, file)
	return f
}

// mainModule is the module of the program, unknown in a few ways of building.
var mainModule = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "command-line-arguments" {
		return info.Main.Path
	}
	return ""
})

// inApp tells the program's code from libraries.
func inApp(module, file string) bool {
	module = strings.TrimSuffix(module, "_test")
	if module == "main" {
		return true
	}
	if own := mainModule(); own != "" {
		return module == own || strings.HasPrefix(module, own+"/")
	}
	first, _, _ := strings.Cut(module, "/")
	return strings.Contains(first, ".") && !strings.Contains(file, "@v") && !strings.Contains(file, "/vendor/")
}

// ignored reports whether the program wants to hear nothing of an error.
func (c *Client) ignored(err error) bool {
	for _, target := range c.ignoreErrors {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
