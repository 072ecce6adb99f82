# Pileup: every task of the house. `make help` lists them.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.SUFFIXES:
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
UV ?= uv

export PILEUP_HOME ?= $(CURDIR)/.pileup
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

.PHONY: install-dev
install-dev: $(VENV)/.installed-dev ## the same, with the tools for tests and checks

$(VENV)/bin/python:
	@sh scripts/require.sh python $(PYTHON)
	@echo "make: creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock backend/pyproject.toml | $(VENV)/bin/python
	@echo "make: installing the locked Python packages (a minute on the first run)"
	@$(PIP) install -q --require-hashes -r requirements.lock
	@$(PIP) install -q --no-deps --no-build-isolation -e backend
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	@echo "make: installing the tools for tests and checks"
	@$(PIP) install -q --require-hashes -r requirements-dev.lock
	@touch $@

.PHONY: lock
lock: ## resolve the dependencies again and write both lock files (needs uv on PATH, or UV=path)
	@sh scripts/lock.sh $(UV)
