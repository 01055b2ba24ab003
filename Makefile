# The two commands: `make run` and `make test`. Each sets up what it needs first; only Python 3.11+, git and make must be there.
PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
REPO ?=
MIRROR ?=
REF ?=
CLONE ?=
COMMITS ?= 2000
ROUNDS ?= 3
WITHOUT ?=
WORKERS ?= auto
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run demo test test-slow check bench format lock clean

help:
	@echo "make run                              crawl, judge and serve on http://$(HOST):$(PORT)"
	@echo "make run REPO=owner/name MIRROR=PATH  the same on a clone (path or URL; REF= for a branch other than its default)"
	@echo "make demo                             the whole product on a small generated upstream; no network once set up"
	@echo "make test                             the quick test suite"
	@echo "make test-slow                        the rest: real processes, browser, kills"
	@echo "make check                            formatting, lint, types, import contracts"
	@echo "make bench CLONE=PATH                 ours beside git and other tools on a clone (REF= COMMITS= ROUNDS=)"

$(VENV)/made:
	@command -v git >/dev/null || { echo "git is needed and was not found: install it and run make again" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "this Python has no venv module: install it (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@touch $@

$(VENV)/run: $(VENV)/made requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/dev: $(VENV)/run requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

run: $(VENV)/run
	@$(if $(MIRROR)$(REF),$(if $(REPO),,echo "MIRROR and REF need REPO: make run REPO=owner/name MIRROR=$(MIRROR)" >&2; exit 2;)) true
	$(if $(REPO),TRACKER_REPOSITORIES='$(REPO)$(if $(MIRROR),=$(MIRROR))$(if $(REF),@$(REF))') $(BIN)/tracker run --host $(HOST) --port $(PORT)

demo: $(VENV)/run
	$(BIN)/tracker demo --host $(HOST) --port $(PORT)

test: $(VENV)/dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m "not slow"

test-slow: $(VENV)/dev
	$(BIN)/python -m pytest -m slow

check: $(VENV)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)-bench/made: $(VENV)/dev
	@$(PYTHON) -m venv $(VENV)-bench
	$(BIN)/uv pip install --quiet --python $(VENV)-bench/bin/python --group bench
	@touch $@

bench: $(VENV)-bench/made
	@test -n '$(CLONE)' || { echo "name the git folder of a clone: make bench CLONE=/clones/pytorch/.git" >&2; exit 2; }
	$(BIN)/python -m tests.benchmarks.compare $(CLONE) $(if $(REF),--ref '$(REF)') \
	  --commits $(COMMITS) --rounds $(ROUNDS) $(if $(WITHOUT),--without '$(WITHOUT)') --tools $(VENV)-bench/bin/python

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: $(VENV)/dev
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --group dev pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) $(VENV)-bench .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
