# Pileup: every task. `make help` lists them.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV ?= $(CURDIR)/$(BIN)/uv

export PILEUP_HOME := $(or $(PILEUP_HOME),$(CURDIR)/.pileup)
ifdef PORT
export PILEUP_PORT := $(PORT)
endif

.PHONY: help
help: ## list the tasks
	@echo "Pileup. Tasks:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-22s %s\n", $$1, $$2}'

# ---- install ---------------------------------------------------------------------------------

.PHONY: install
install: $(VENV)/.installed ## install the locked Python dependencies and the pileup command into .venv
	@echo "pileup is at $(BIN)/pileup"

.PHONY: install-dev
install-dev: $(VENV)/.installed-dev ## install, and add the tools for tests and checks

$(VENV)/bin/python:
	@sh scripts/require.sh python $(PYTHON)
	@echo "make: creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock requirements-installer.lock backend/pyproject.toml | $(VENV)/bin/python
	@echo "make: installing the locked Python packages (half a minute on the first run)"
	@sh scripts/install-python.sh $(VENV) requirements.lock
	@touch $@

# The second lock file holds everything of the first, so that one run installs both.
$(VENV)/.installed-dev: requirements-dev.lock requirements.lock requirements-installer.lock backend/pyproject.toml | $(VENV)/bin/python
	@echo "make: installing the locked Python packages, with the tools for tests and checks (half a minute)"
	@sh scripts/install-python.sh $(VENV) requirements-dev.lock
	@touch $(VENV)/.installed $@

# Half a dozen processes of the tests start at once: each finds compiled what this one imports.
$(VENV)/.compiled: $(VENV)/.installed-dev
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -c "import pileup.api.app, pileup.worker.app, pileup.worker.work"
	@touch $@

.PHONY: lock
lock: $(VENV)/.installed-dev ## resolve the dependencies again and write the lock files (UV=path: with another uv)
	@sh scripts/lock.sh $(UV)

# ---- run -------------------------------------------------------------------------------------

NODE_MODULES := frontend/node_modules/.installed
TOOLS := frontend/tools/node_modules/.installed
UI := frontend/dist/.built
UI_SOURCES = $(shell find frontend -name node_modules -prune -o -path frontend/dist -prune \
	-o -path frontend/e2e -prune -o -path frontend/test-results -prune \
	-o -type f ! -name '*.test.ts' ! -name '*.test.tsx' -print)

$(NODE_MODULES): frontend/package.json frontend/package-lock.json
	@sh scripts/require.sh node
	@echo "make: installing the locked npm packages"
	@cd frontend && npm ci --silent --no-fund --no-audit
	@touch $@

$(TOOLS): frontend/tools/package-lock.json $(NODE_MODULES)
	@npm --prefix frontend/tools ci --silent --no-fund --no-audit
	@touch $@

$(UI): $(NODE_MODULES) $(UI_SOURCES)
	@echo "make: building the UI"
	@cd frontend && npm run --silent build
	@touch $@

.PHONY: build-ui
build-ui: $(UI) ## build the UI into frontend/dist

.PHONY: run
run: $(VENV)/.installed $(UI) ## start everything and print the sign-in link (PORT=8400)
	@exec $(BIN)/pileup run

.PHONY: dev
dev: $(VENV)/.installed-dev $(NODE_MODULES) ## like run, for work on the code: reload on change
	@exec sh scripts/dev.sh

.PHONY: doctor
doctor: $(VENV)/.installed ## report what is wrong, and how to fix it
	@$(BIN)/pileup doctor

# ---- distribute ------------------------------------------------------------------------------

.PHONY: dist
dist: $(VENV)/.installed $(UI) ## build the wheel into dist/, with UI, samples and fonts: it runs without Node or a checkout
	@sh scripts/dist.sh dist

.PHONY: test-dist
test-dist: dist ## install the wheel into a bare environment and use it
	@$(BIN)/python scripts/test_dist.py dist

.PHONY: audit
audit: $(VENV)/.installed ## ask the public advisory services for known flaws in what is locked
	@sh scripts/audit.sh

.PHONY: sbom
sbom: dist ## write the bill of materials of the wheel into dist/ (CycloneDX)
	@sh scripts/sbom.sh dist

# ---- test ------------------------------------------------------------------------------------

.PHONY: test
test: ## test engine, storage, API, worker and UI, with the browser journey
	@INSTALL=yes sh scripts/test.sh

# What the tests of `make test` need: installed side by side by scripts/test.sh.
.PHONY: prepare-python prepare-ui
prepare-python: $(VENV)/.compiled
prepare-ui: $(UI) $(TOOLS)

.PHONY: test-backend
test-backend: $(VENV)/.installed-dev $(TOOLS) ## run only the Python tests
	@sh scripts/test.sh backend services

.PHONY: test-long
test-long: $(VENV)/.installed-dev ## run the property tests with many more rounds (ROUNDS=1: some ten minutes)
	@cd backend && ../$(BIN)/python -m pytest -n 2 --dist loadgroup -m rounds --rounds $(or $(ROUNDS),1) --timeout 3600 tests

.PHONY: test-frontend
test-frontend: $(NODE_MODULES) ## run only the UI's unit tests
	@sh scripts/test.sh frontend

.PHONY: test-browser
test-browser: $(VENV)/.installed-dev $(UI) ## run only the browser journey
	@sh scripts/test.sh browser

.PHONY: test-security
test-security: $(VENV)/.installed-dev $(UI) ## run every test that docs/explanation/security.md names, with all rounds, and the probes in a browser
	@cd backend && ../$(BIN)/python -m pytest -n 2 --dist loadgroup -m security --rounds 1 --timeout 3600 tests
	@cd frontend && node e2e/run.mjs --project=probes

.PHONY: test-faults
test-faults: $(VENV)/.installed-dev ## inject faults for ten minutes: kills, partitions, a full disk, a failover (SEED=; as root: all kinds)
	@cd backend && ../$(BIN)/python -m faults --minutes $(or $(MINUTES),9) $(if $(SEED),--seed $(SEED))

.PHONY: soak
soak: $(VENV)/.installed-dev ## the same for hours (HOURS=8), with the figures in soak.json
	@cd backend && ../$(BIN)/python -m faults --minutes $$((60 * $(or $(HOURS),8))) $(if $(SEED),--seed $(SEED)) --json ../soak.json

.PHONY: test-served
test-served: $(VENV)/.installed-dev $(UI) ## run the browser journey through PgBouncer and on RabbitMQ (SERVICES="pgbouncer rabbitmq")
	@$(BIN)/python scripts/test_served.py $(or $(SERVICES),pgbouncer rabbitmq)

.PHONY: test-compose
test-compose: $(VENV)/.installed-dev $(UI) ## run the browser journey against docker-compose
	@sh scripts/test-compose.sh

.PHONY: test-bucket
test-bucket: $(VENV)/.installed-dev ## two APIs and three workers over a real S3 server that fails (MINUTES=3; versitygw on PATH, else moto)
	@cd backend && ../$(BIN)/python -m benchmarks.bucket_faults --minutes $(or $(MINUTES),3) --seed $(or $(SEED),1)

.PHONY: check
check: $(VENV)/.installed-dev $(NODE_MODULES) ## check formatters, linters, types, import contracts, size limits, word list
	@sh scripts/check.sh

.PHONY: format
format: $(VENV)/.installed-dev $(NODE_MODULES) ## run the formatters
	@$(BIN)/ruff check --quiet --fix --exit-zero backend && $(BIN)/ruff format --quiet backend
	@cd frontend && npx --no-install prettier --log-level warn --write .

.PHONY: types
types: $(VENV)/.installed-dev $(NODE_MODULES) ## regenerate the UI's API types
	@sh scripts/api-types.sh write

.PHONY: fuzz
fuzz: $(VENV)/.installed-dev ## search for parser defects (FORMAT=gdb SECONDS=60 SEED=7, or all)
	@sh scripts/fuzz.sh "$(or $(FORMAT),all)" "$(or $(SECONDS),60)" $(SEED)

.PHONY: mutants
mutants: $(VENV)/.installed-dev ## break the code in small ways, count what the tests notice (PACKAGE=report, BASE=commit, KIND=lock, SEED=7, COUNT=60, SECONDS=900)
	@$(BIN)/python scripts/dev_packages.py
	@$(BIN)/python scripts/mutants.py $(if $(PACKAGE),--package $(PACKAGE)) $(if $(BASE),--changed $(BASE)) $(if $(KIND),--kind $(KIND)) \
		$(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) --seconds $(or $(SECONDS),900)

.PHONY: mutants-ui
mutants-ui: $(NODE_MODULES) ## the same for the UI's features (FEATURE=waits, SEED=7, COUNT=15, SECONDS=900)
	@cd frontend && node mutants.mjs $(if $(FEATURE),--feature $(FEATURE)) $(if $(SEED),--seed $(SEED)) \
		$(if $(COUNT),--count $(COUNT)) --seconds $(or $(SECONDS),900)

.PHONY: refusals
refusals: $(VENV)/.installed-dev ## note which test reaches which refusal of the source, into backend/tests/refusals.txt
	@cd backend && folder=$$(mktemp -d) && PYTHONDONTWRITEBYTECODE= ../$(BIN)/python -m pytest -n 2 --dist loadgroup \
		--every-turn --record-refusals "$$folder" --deselect tests/test_refusals.py tests && ../$(BIN)/python -m tests.support.refusals "$$folder"

.PHONY: docs
docs: $(VENV)/.installed-dev ## regenerate the tables of docs/
	@$(BIN)/pileup formats --write docs/reference/formats.md
	@$(BIN)/python scripts/write_knowledge_counts.py

.PHONY: corpus-coverage
corpus-coverage: $(VENV)/.installed-dev ## write the parse coverage of a corpus (CORPUS=folder) into docs/
	@cd backend && ../$(BIN)/python -m tests.formats.corpus "$(or $(CORPUS),../../shared/corpus)" ../docs/reference/corpus-coverage.md

.PHONY: bench
bench: $(VENV)/.installed-dev ## measure the speed of parsing large inputs: a tenth of bench-parse
	@cd backend && ../$(BIN)/python -m benchmarks --scale 0.1

.PHONY: bench-parse
bench-parse: $(VENV)/.installed-dev ## measure all inputs and compare with other tools, into docs/benchmarks.md (SCALE=1)
	@cd backend && ../$(BIN)/python -m benchmarks --scale $(or $(SCALE),1) --markdown ../docs/benchmarks.md

.PHONY: bench-ui
bench-ui: $(VENV)/.installed-dev $(UI) ## measure the screens with 200 series of a million samples (SERIES=200), into docs/benchmarks-ui.md
	@cd frontend && node e2e/bench.mjs --series $(or $(SERIES),200) --markdown ../docs/benchmarks-ui.md

.PHONY: bench-load
bench-load: $(VENV)/.installed-dev ## measure the running installation with USERS=200 readers and UPLOADERS=20 (ARRIVAL=30 s; 0: all at once)
	@cd backend && ../$(BIN)/python -m benchmarks.load --users $(or $(USERS),200) --uploaders $(or $(UPLOADERS),20) \
	--arrival $(or $(ARRIVAL),30) --seconds $(or $(SECONDS),75) $(if $(URL),--url "$(URL)")

.PHONY: bench-strangers
bench-strangers: $(VENV)/.installed-dev ## measure a reader of the running installation beside strangers who sign in, send 300 MB and invent sessions
	@cd backend && ../$(BIN)/python -m benchmarks.strangers --rounds $(or $(ROUNDS),4) $(if $(URL),--url "$(URL)")

.PHONY: bench-backlog
bench-backlog: $(VENV)/.installed-dev ## measure the running installation while MEMBERS=20000 files of an archive wait (MINUTES=5)
	@cd backend && ../$(BIN)/python -m benchmarks.backlog --members $(or $(MEMBERS),20000) --minutes $(or $(MINUTES),5)

.PHONY: bench-insight
bench-insight: $(VENV)/.installed-dev ## compare the analysis with incidents whose cause is known: captured, and generated (CASES=300)
	@cd backend && ../$(BIN)/python -m benchmarks.insight $(CAPTURES); missed=$$?; \
	../$(BIN)/python -m benchmarks.incidents -n $(or $(CASES),300) && exit $$missed

.PHONY: screenshots
screenshots: $(VENV)/.installed-dev $(UI) ## regenerate the screenshots of the README
	@cd frontend && node e2e/run.mjs --project=screenshots

.PHONY: clean
clean: ## remove installed and built files (never the data folder)
	rm -rf $(VENV) .tools dist frontend/node_modules frontend/dist frontend/e2e/fallback/node_modules .tmp
