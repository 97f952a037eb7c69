# The one list of commands. `make help` prints it.
#
# Nothing is installed outside this folder: tools live in .tools/, and what a
# target made is remembered by file times, so a second run does only what changed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

ROOT := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
TOOLS := $(ROOT)/.tools
STAMPS := $(TOOLS)/stamps

PNPM_VERSION := 10.34.9
PNPM_BIN := $(TOOLS)/pnpm/node_modules/.bin
PNPM := $(PNPM_BIN)/pnpm

export PATH := $(PNPM_BIN):$(TOOLS)/bin:$(PATH)
export TURBO_TELEMETRY_DISABLED := 1
export DO_NOT_TRACK := 1
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1
# The module files must be complete without the workspace file, and -modfile needs it off.
export GOWORK := off
export CGO_ENABLED ?= 0

.PHONY: help
help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  \033[1mmake %-16s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- generated code -----------------------------------------------------------

GENERATED := api/gen proto/gen 'api/internal/**/*db/*.go'

.PHONY: generate
generate: $(STAMPS)/pnpm $(STAMPS)/generators proto/third_party/.stamp ## Generate Go, TypeScript, OpenAPI and SQL code
	@find api/gen -name '*.go' -path '*/nightbell/*' -delete 2>/dev/null || true
	@find proto/gen/ts -name '*_pb.d.ts' -delete 2>/dev/null || true
	@cd proto && tools/node_modules/.bin/buf generate --path nightbell 2> >(grep -v 'INFO fieldByName' >&2)
	@node proto/tools/index.mjs && node proto/tools/openapi.mjs
	@$(MAKE) generate-sql

.PHONY: generate-sql
generate-sql: ## Generate only the query code, after a change to a .sql file
	@if grep -q '^  - ' api/sqlc.yaml; then cd api && go tool -modfile=tools/sqlc.mod sqlc generate; fi

.PHONY: generate-check
generate-check: generate ## Fail when committed generated code differs from its source
	@git diff --exit-code --stat -- $(GENERATED) || { echo 'Generated code is out of date. Run `make generate` and commit the result.' >&2; exit 1; }
	@new="$$(git ls-files --others --exclude-standard -- $(GENERATED))"; \
	  [ -z "$$new" ] || { printf 'Generated files are not committed:\n%s\n' "$$new" >&2; exit 1; }

# --- tools --------------------------------------------------------------------

$(STAMPS)/pnpm: Makefile
	@mkdir -p $(STAMPS)
	@[ "$$($(PNPM) --version 2>/dev/null)" = "$(PNPM_VERSION)" ] || npm install --silent --no-audit --no-fund --prefix $(TOOLS)/pnpm pnpm@$(PNPM_VERSION)
	@touch $@

$(STAMPS)/generators: proto/tools/package.json pnpm-lock.yaml | $(STAMPS)/pnpm
	@$(PNPM) install --frozen-lockfile --silent --filter @nightbell/proto-tools
	@touch $@

# Third-party definitions come from pinned packages and are never committed.
proto/third_party/.stamp: $(STAMPS)/generators api/tools/protos.mod
	@rm -rf proto/third_party && mkdir -p proto/third_party/buf/validate proto/third_party/google/api
	@dir="$$(cd api && go mod download -modfile=tools/protos.mod -json github.com/bufbuild/protovalidate | sed -n 's/.*"Dir": "\(.*\)",/\1/p')"; \
	  install -m 644 "$$dir"/proto/protovalidate/buf/validate/validate.proto proto/third_party/buf/validate/
	@install -m 644 proto/tools/node_modules/google-proto-files/google/api/{annotations,http}.proto proto/third_party/google/api/
	@touch $@
