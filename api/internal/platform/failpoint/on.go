//go:build failpoints

package failpoint

import (
	"fmt"
	"os"
	"strings"
)

type point struct{ action, text string }

var armed = parse(os.Getenv("NIGHTBELL_FAILPOINTS"))

func parse(list string) map[string]point {
	points := map[string]point{}
	for one := range strings.SplitSeq(list, ";") {
		moment, action, ok := strings.Cut(one, "=")
		if !ok {
			continue
		}
		action, text, _ := strings.Cut(action, "@")
		points[moment] = point{action, text}
	}
	return points
}

// At fails as NIGHTBELL_FAILPOINTS tells it to at this moment; about says what the
// program is busy with.
func At(moment, about string) {
	p, ok := armed[moment]
	if !ok || !strings.Contains(about, p.text) {
		return
	}
	switch p.action {
	case "exit":
		os.Exit(3)
	case "hang":
		select {}
	default:
		panic(fmt.Sprintf("failpoint %s: %s", moment, about))
	}
}
