# Two commands for everybody: `make run` and `make test`. `make bench`, `make bench-store`, `make bench-users`, `make
# bench-scale` and `make bench-delivery` reproduce every figure in the docs; the last four take options: `make bench-store WITH="--cold"`. Each
# installs what it needs on Debian 12 (as root or with sudo), given a Rust toolchain and Node 20.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
CARGO ?= cargo
# Binaries for users contain OpenSSL (docs/decisions/007-dtls-by-openssl.md) and no path of the build machine
# (docs/decisions/013-static-binary-image-same-bytes.md).
RELEASE := CARGO=$(CARGO) tools/cargo.sh native build --release --locked
BIN := target/release/duramen
# The binaries of packages: optimised as one whole.
FOR_PACKAGES := --profile packaged --locked --package duramen
PACKAGED := target/packaged/duramen
# The same for every Linux of this architecture, in one file that needs nothing else.
STATIC := target/$(shell uname -m)-unknown-linux-musl/packaged/duramen
DIST := target/dist
# The time of every file in a package: that of the last commit.
EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || echo 1)
PACKAGE := SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$(EPOCH)} tools/package.sh
SAMPLES ?= ../shared/samples

.PHONY: help run test test-package bench bench-store bench-users bench-scale bench-delivery bench-built ui build docs components package static image \
	release reproducible fuzz miri sanitize mutants clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | column -t -s "$$(printf '\t')"

run: build ## start the quickstart configuration (DEMO=1 also replays sample logs)
	@tools/quickstart.sh $(BIN)

build: ui ## the optimised binary, page included
	@tools/install.sh build
	$(RELEASE) --package duramen

ui: ui/dist/index.html ## the page

ui/dist/index.html: $(shell find ui/src ui/index.html ui/package.json ui/package-lock.json ui/vite.config.ts -type f 2>/dev/null)
	@tools/install.sh build
	cd ui && npm ci --no-audit --no-fund && npm run build
	@touch $@

test: ui docs ## everything: format, lints, project rules, unit tests, the page, real clients, samples
	@tools/install.sh test
	$(CARGO) xtask check
	cd ui && npm run check && npm test
	$(RELEASE) --package duramen
	tests/system/run.sh $(BIN)
	if [ -d "$(SAMPLES)" ]; then $(CARGO) xtask conformance "$(SAMPLES)"; fi

docs: docs/book/index.html ## the manual as a book in docs/book; the server serves it below /manual/

docs/book/index.html: $(shell find docs -name book -prune -o -type f -print) tools/docs.py
	@tools/install.sh docs
	python3 tools/docs.py target/tools/bin/mdbook

components: ui docs ## the binary of packages and its components: CycloneDX bill of materials, licence notices
	@tools/install.sh build
	CARGO=$(CARGO) tools/cargo.sh native build $(FOR_PACKAGES)
	$(PACKAGE) components $(PACKAGED)

package: components ## .deb, .rpm, line tables, sums: in target/dist
	@tools/install.sh package
	$(PACKAGE) deb $(PACKAGED)
	$(PACKAGE) rpm $(PACKAGED)
	$(PACKAGE) debug $(PACKAGED)
	@$(PACKAGE) sums

static: ui docs ## one file that runs on every Linux of this architecture, and its archive: in target/dist
	@tools/install.sh static
	CARGO=$(CARGO) tools/cargo.sh static build $(FOR_PACKAGES)
	$(PACKAGE) components $(STATIC)
	$(PACKAGE) archive $(STATIC)
	$(PACKAGE) debug $(STATIC)
	@$(PACKAGE) sums

image: static ## a container image (an OCI archive) with the static binary: in target/dist
	$(PACKAGE) image $(STATIC)
	@$(PACKAGE) sums

release: ## everything for a release of the version in Cargo.toml, which the changelog must have
	@$(PACKAGE) check
	rm -rf $(DIST)
	$(MAKE) package image

reproducible: ## builds the static binary in two other folders and compares every byte; takes as long as two first builds
	tools/reproducible.sh

test-package: package image ## installs, runs, upgrades and removes the release's packages, in roots of their own; needs root
	@tools/install.sh package-test
	tests/package/run.sh $(DIST)

bench: bench-built ## the rows of the docs, beside rsyslog and syslog-ng, on this machine
	target/release/bench

bench-store: bench-built ## the store beside tantivy, ripgrep, zstdgrep and, if its path is given, VictoriaLogs
	$(CARGO) build --release --locked --manifest-path bench/versus/tantivy/Cargo.toml --target-dir target/versus
	target/release/bench store $(WITH)

bench-users: bench-built ## messages over TLS while up to 29 users search: a table, a CSV file and a plot
	target/release/bench users $(WITH)

bench-scale: bench-built ## the same queries at 10, 50, 100 and 200 million messages
	target/release/bench scale $(WITH)

bench-delivery: build ## delivery to databases, brokers and search engines that fail, beside rsyslog and syslog-ng
	@tools/install.sh bench-delivery
	python3 bench/delivery/main.py $(WITH) $(if $(POLICY),--policy $(POLICY)) $(if $(RATE),--rate $(RATE)) $(if $(SECONDS),--seconds $(SECONDS))

bench-built: build
	@tools/install.sh bench
	$(RELEASE) --package bench

fuzz: ## each fuzz target for SECONDS (default 60)
	@tools/install.sh fuzz
	fuzz/run.sh $${SECONDS_EACH:-60}

miri: ## runs in Miri's interpreter the unsafe code that it supports; takes minutes
	rustup toolchain install nightly --profile minimal --component miri --component rust-src
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=3 $(CARGO) +nightly miri test --package lookup tokens
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=3 $(CARGO) +nightly miri test --package segment column::marks

sanitize: ## the inputs of the fuzz targets, with every access to memory checked (AddressSanitizer)
	rustup toolchain install nightly --profile minimal
	RUSTFLAGS=-Zsanitizer=address $(CARGO) +nightly test --package fuzz-targets --target $(shell rustc -vV | sed -n 's/^host: //p') \
		--target-dir target/sanitizer

mutants: ## prints changes of the code that no test notices: COUNT (20) in each crate; CRATES="wire message" names some
	@tools/install.sh mutants
	PATH="$$PWD/target/tools/bin:$$PATH" tools/mutants.sh $${COUNT:-20} $${CRATES:-}

clean: ## remove what was built
	$(CARGO) clean
	rm -rf ui/dist ui/node_modules
