PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DATA ?= ../shared/data

.PHONY: install demo test test-long test-all evals lint check format bench bench-contracts bench-fuzz real-model bench-real lock train-detector clean

install: $(STAMP)

$(STAMP): pyproject.toml requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit("knitbone needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; name another one: make install PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $(STAMP)

# With what `make install` made, where that is there; else with the extra `standard` alone.
DEMO := $(if $(wildcard $(STAMP)),$(VENV),$(VENV)-demo)
demo: $(DEMO)/.installed
	$(DEMO)/bin/knitbone demo

$(VENV)-demo/.installed: pyproject.toml requirements-standard.lock
	$(PYTHON) -m venv $(VENV)-demo
	$(VENV)-demo/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-standard.lock
	$(VENV)-demo/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

# Under five minutes on two cores, after each change; what takes long is left out (tests/conftest.py).
test: install
	$(BIN)/python -m pytest -n 2 -m "not long"

test-long: install
	$(BIN)/python -m pytest -n 2 -m long

test-all: install
	$(BIN)/python -m pytest -n 2 --dist worksteal

# How good knitbone is (evals/README.md): its tests, and the tasks that take seconds.
evals: $(VENV)/.evals
	$(BIN)/python -m pytest -n 2 --dist worksteal evals/tests
	$(BIN)/python -m knitbone_evals run --quick

$(VENV)/.evals: $(STAMP) evals/pyproject.toml evals/requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r evals/requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable evals
	@touch $@

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright

check: lint test-all

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

PEERS := $(VENV)-peers/bin/python
LIBRARY := $(VENV)-fuzz/bin/python

# Speed and memory: see benchmarks/README.md.
bench: $(VENV)/.evals
	$(BIN)/python -m benchmarks

# The property tests of adapt's contracts, 100,000 examples each: hours.
bench-contracts: $(VENV)/.evals
	$(BIN)/python -m knitbone_evals.adapt.contracts

# The fuzzer beside Hypothesis, 200 and 2,000 calls a tool, three seeds: hours.
bench-fuzz: $(VENV)/.evals $(LIBRARY)
	$(BIN)/python -m knitbone_evals.fuzz --library-python $(LIBRARY) --processes 2

# Two small real models, 1.6 GB, and what serves them: outside of the package and of CI.
REAL := $(VENV)-real
real-model: $(REAL)/bin/python
	$(REAL)/bin/python -m knitbone_evals.real_model.fetch $(REAL)/models

# Serves them over the OpenAI protocol and records what their benchmarks have not asked yet.
bench-real: $(VENV)/.evals real-model
	$(BIN)/python -m knitbone_evals.real_model --weights $(REAL)/models --python $(REAL)/bin/python --data $(DATA)

$(REAL)/bin/python: evals/src/knitbone_evals/real_model/requirements.txt
	$(PYTHON) -m venv $(REAL)
	$(REAL)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# The library tools that are fuzzed, and what calls them.
$(LIBRARY): evals/src/knitbone_evals/fuzz/library_requirements.txt
	$(PYTHON) -m venv $(VENV)-fuzz
	$(LIBRARY) -m pip install --quiet --disable-pip-version-check --editable '.[fuzz,langchain]' -r $<
	@touch $@

# The shipped offline detector, from its public sources: the same bytes again. Gigabytes, minutes.
TRAIN := $(VENV)-train/bin/python
train-detector: $(TRAIN)
	$(TRAIN) -m knitbone_evals.training.prepare $(VENV)-train/corpus
	$(TRAIN) -m knitbone_evals.training.train $(VENV)-train/corpus

$(TRAIN): evals/pyproject.toml
	$(PYTHON) -m venv $(VENV)-train
	$(TRAIN) -m pip install --quiet --disable-pip-version-check --editable '.[tether]' --editable './evals[train]'
	$(TRAIN) -m pip install --quiet --disable-pip-version-check --no-deps bfcl-eval==2026.3.23
	@touch $@

# Other tools, which adapt is compared with.
$(PEERS): evals/src/knitbone_evals/adapt/peers/requirements.txt
	$(PYTHON) -m venv $(VENV)-peers
	$(PEERS) -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# All extras but ray, which is 200 MB; its test runs where it is installed.
EXTRAS := $(addprefix --extra ,standard anthropic langchain mcp otlp)

# New pins for everything, with hashes, for all supported Python versions at once, without index
# addresses. With hashes in the file pip installs nothing that has none (--require-hashes).
lock:
	$(BIN)/uv pip compile --universal --no-python-downloads --python-version 3.11 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --universal --no-python-downloads --python-version 3.11 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade pyproject.toml --extra standard -o requirements-standard.lock
	$(BIN)/uv pip compile --universal --no-python-downloads --python-version 3.11 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade pyproject.toml $(EXTRAS) --group dev -o requirements-dev.lock
	$(BIN)/uv pip compile --universal --no-python-downloads --python-version 3.11 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade --no-emit-package knitbone -c requirements-dev.lock evals/pyproject.toml -o evals/requirements.lock

clean:
	rm -rf $(VENV) .ruff_cache .hypothesis build dist
