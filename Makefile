PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DATA ?= ../shared/data

.PHONY: install demo test test-long test-all lint check format bench bench-contracts bench-fuzz real-model bench-real lock train-detector clean

install: $(STAMP)

$(STAMP): pyproject.toml requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit("knitbone needs Python 3.10 or newer, this is " + sys.version.split()[0] + "; name another one: make install PYTHON=python3.11") if sys.version_info < (3, 10) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $(STAMP)

demo: install
	$(BIN)/knitbone demo

# Under five minutes on two cores, after each change; what takes long is left out (tests/conftest.py).
test: install
	$(BIN)/python -m pytest -n 2 -m "not long"

test-long: install
	$(BIN)/python -m pytest -n 2 -m long

test-all: install
	$(BIN)/python -m pytest -n 2

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

# Every public figure: see benchmarks/README.md.
bench: install $(PEERS)
	$(BIN)/python -m benchmarks --data $(DATA) --peers $(PEERS)
	$(MAKE) bench-contracts

# The property tests of adapt's contracts, 100,000 examples each: hours.
bench-contracts: install
	$(BIN)/python -m benchmarks.adapt.contracts

# The fuzzer beside Hypothesis, 200 and 2,000 calls a tool, three seeds: hours.
bench-fuzz: install $(LIBRARY)
	$(BIN)/python -m benchmarks.fuzz --library-python $(LIBRARY) --processes 2

# Two small real models, 1.6 GB, and what serves them: outside of the package and of CI.
REAL := $(VENV)-real
real-model: $(REAL)/bin/python
	$(REAL)/bin/python -m benchmarks.real_model.fetch $(REAL)/models

# Serves them over the OpenAI protocol and records what their benchmarks have not asked yet.
bench-real: install real-model
	$(BIN)/python -m benchmarks.real_model --weights $(REAL)/models --python $(REAL)/bin/python --data $(DATA)

$(REAL)/bin/python: benchmarks/real_model/requirements.txt
	$(PYTHON) -m venv $(REAL)
	$(REAL)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# The library tools that are fuzzed, and what calls them.
$(LIBRARY): benchmarks/fuzz/library_requirements.txt
	$(PYTHON) -m venv $(VENV)-fuzz
	$(LIBRARY) -m pip install --quiet --disable-pip-version-check --editable '.[fuzz,langchain]' -r $<
	@touch $@

# The shipped offline detector, from its public sources: the same bytes again. Gigabytes, minutes.
TRAIN := $(VENV)-train/bin/python
train-detector: $(TRAIN)
	$(TRAIN) -m knitbone.tethering.training.prepare $(VENV)-train/corpus
	$(TRAIN) -m knitbone.tethering.training.train $(VENV)-train/corpus

$(TRAIN): pyproject.toml
	$(PYTHON) -m venv $(VENV)-train
	$(TRAIN) -m pip install --quiet --disable-pip-version-check --editable '.[train]'
	$(TRAIN) -m pip install --quiet --disable-pip-version-check --no-deps bfcl-eval==2026.3.23
	@touch $@

# Other tools, which adapt is compared with.
$(PEERS): benchmarks/adapt/peers/requirements.txt
	$(PYTHON) -m venv $(VENV)-peers
	$(PEERS) -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# All extras but ray, which is 200 MB; its test runs where it is installed.
EXTRAS := $(addprefix --extra ,standard anthropic langchain mcp otlp)

# New pins for everything, with hashes, for all supported Python versions at once, without index
# addresses. With hashes in the file pip installs nothing that has none (--require-hashes).
lock:
	$(BIN)/uv pip compile --universal --no-python-downloads --python-version 3.10 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --universal --no-python-downloads --python-version 3.10 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade pyproject.toml --extra standard -o requirements-standard.lock
	$(BIN)/uv pip compile --universal --no-python-downloads --python-version 3.10 --no-emit-index-url --no-header --no-annotate --generate-hashes --upgrade pyproject.toml $(EXTRAS) --group dev -o requirements-dev.lock

clean:
	rm -rf $(VENV) .ruff_cache .hypothesis build dist
