#!/bin/bash
# Runs a command in each module beside the core one, such as `./modules.sh go test ./...`.
# Their go.mod names a released sdk-go. Here a throw-away copy points it at this folder,
# so that a change of both is tested before it is released and no committed sum changes.
set -euo pipefail
core=$(cd "$(dirname "$0")" && pwd)
export GOWORK=off
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
for module in nightbellgin nightbellecho nightbellfiber examples/chi; do
  copy="$temporary/$(basename "$module")"
  cp "$core/$module/go.mod" "$copy.mod"
  cp "$core/$module/go.sum" "$copy.sum"
  go mod edit -replace="github.com/nightbell/nightbell/sdk-go=$core" "$copy.mod"
  (cd "$core/$module" && GOFLAGS="${GOFLAGS:-} -modfile=$copy.mod" "$@")
done
