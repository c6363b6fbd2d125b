# Every target makes its own environment: on a fresh machine, `make demo` or `make test` is all it takes.
#   make test PYTHON=python3.13     the same on another interpreter, in an environment of its own
PYTHON ?= python3
PYVER := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
VENV ?= $(if $(filter python3,$(PYTHON)),.venv,.venv-$(PYVER))
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
PINS := $(wildcard constraints/$(PYVER).txt)
CONSTRAINTS := $(if $(PINS),-c $(PINS))
JOBS ?= 2

.PHONY: demo test test-fast lint format docs bench clean help
help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*##/\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip

# one stamp an extra: an environment made by `make demo` grows when `make test` is called
$(VENV)/.%-stamp: pyproject.toml $(PINS) | $(BIN)/python
	$(PIP) install $(CONSTRAINTS) -e '.[$*]'
	@touch $@

demo: $(VENV)/.demo-stamp  ## the main job on real data; figures in demo-output/
	$(BIN)/operax demo

$(VENV)/.demo-stamp: pyproject.toml $(PINS) | $(BIN)/python
	$(PIP) install $(CONSTRAINTS) -e '.[pymc,plot]'
	@touch $@

test: $(VENV)/.test-stamp  ## the whole suite
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

test-fast: $(VENV)/.test-stamp  ## under a minute, no optional framework
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m "not slow and not bridge" --fast

lint: $(VENV)/.test-stamp  ## style and types
	$(BIN)/ruff check src tests benchmarks examples docs
	$(BIN)/ruff format --check src tests benchmarks examples docs
	$(BIN)/mypy

format: $(VENV)/.test-stamp  ## rewrite to the house style
	$(BIN)/ruff check --fix src tests benchmarks examples docs
	$(BIN)/ruff format src tests benchmarks examples docs

docs: $(VENV)/.docs-stamp  ## the site, in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

bench: $(VENV)/.bench-stamp  ## interleaved ratios against the peers; CSV in bench-output/
	env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE OPENBLAS_THREAD_TIMEOUT=18 $(BIN)/operax bench

clean:  ## everything that was made here
	rm -rf .venv* build dist demo-output bench-output docs/_build docs/gallery docs/generated
