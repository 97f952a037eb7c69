package web

import (
	"embed"
	"io/fs"
)

// all: because __spa-fallback.html and _routes.json start with an underscore.
//
//go:embed all:dist
var dist embed.FS

// Built is the site that was compiled into this binary. It holds no pages when the server was
// built without the site; New then explains itself to whoever opens it.
func Built() fs.FS {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // "dist" is a valid path
	}
	return built
}
