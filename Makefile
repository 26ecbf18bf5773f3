# Two commands for everybody: `make run` and `make test`. `make bench` reproduces every figure that the docs print.
# Each installs what it needs on Debian 12 (as root or with sudo), given a Rust toolchain and Node 20.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
CARGO ?= cargo
BIN := target/release/duramen
SAMPLES ?= ../shared/samples

.PHONY: help run test bench ui build fuzz clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

run: build ## start the quickstart configuration (DEMO=1 also replays sample logs)
	@tools/quickstart.sh $(BIN)

build: ui ## the optimised binary, page included
	@tools/install.sh build
	$(CARGO) build --release --locked --package duramen

ui: ui/dist/index.html ## the page

ui/dist/index.html: $(shell find ui/src ui/index.html ui/package.json ui/package-lock.json ui/vite.config.ts -type f 2>/dev/null)
	@tools/install.sh build
	cd ui && npm ci --no-audit --no-fund && npm run build
	@touch $@

test: ui ## everything: format, lints, house rules, unit tests, the page, real clients, samples
	@tools/install.sh test
	$(CARGO) xtask check
	cd ui && npm run check && npm test
	$(CARGO) build --release --locked --package duramen
	tests/system/run.sh $(BIN)
	if [ -d "$(SAMPLES)" ]; then $(CARGO) xtask conformance "$(SAMPLES)"; fi

bench: build ## the rows of the docs, beside rsyslog and syslog-ng, on this machine
	@tools/install.sh bench
	$(CARGO) build --release --locked --package bench
	target/release/bench

fuzz: ## each fuzz target for SECONDS (default 60)
	@tools/install.sh fuzz
	fuzz/run.sh $${SECONDS_EACH:-60}

clean: ## remove what was built
	$(CARGO) clean
	rm -rf ui/dist ui/node_modules
