# docgraph: every command here sets up what it needs, once, in .venv.

# Another interpreter: make PYTHON=python3.12 test
PYTHON  ?=
# Test processes side by side: make WORKERS=4 test
WORKERS ?= 2
# Judged sets, and which of them (all that are there): make DATA=folder SETS='one two' quality
DATA    ?= ../shared/data
SETS    ?=
# Documents whose growth is timed; making a store of 100,000 takes long, and 6 GB, once:
# make SIZES='1000 3000 10000 30000 100000' PICTURE=docs/pictures/growth.svg bench
SIZES   ?= 1000 3000 10000
PICTURE ?=

VENV    := .venv
BIN     := $(VENV)/bin
READY   := $(VENV)/.installed
# Given with '=': a separate word that names a file would be taken for the tests to run.
RESULTS := build/requirements.json
# docgraph's own documents, asked what they must answer.
OWN     := build/own.db

# Libraries to compare with, in an environment of their own beside docgraph's locked packages.
PEERS   := build/peers
FLOOR   := $(PEERS)/.floor
PEERPIP := $(PEERS)/bin/python -m pip --quiet --quiet --disable-pip-version-check --no-input

# A real model server, in an environment of its own: it is compiled, which takes a quarter of an hour.
LLM     := build/llm
LLMPIP  := $(LLM)/bin/python -m pip --quiet --quiet --disable-pip-version-check --no-input

PYTEST  := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal
PIP     := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check --no-input
COMPILE := $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 \
           --fork-strategy fewest --generate-hashes --no-header --no-annotate --upgrade

.DEFAULT_GOAL := help
.PHONY: help demo test test-llm check architecture bench peers quality load prove format picture requirements lock clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(READY) ## ingest docgraph's own documents, ask them a question, show plan, why and context
	@$(BIN)/docgraph demo

test: $(READY) ## run every test
	@$(PYTEST) --requirements=$(RESULTS)

test-llm: $(LLM)/.installed ## ask a real model server, which is compiled first, once
	@LLM=$(LLM) $(BIN)/python -m pytest tests/llm

check: $(READY) ## format, lint, types, contracts, architecture, weight, retrieval, repetitions, requirements
	@echo '— format and lint' && $(BIN)/ruff format --quiet --diff . && $(BIN)/ruff check --quiet .
	@echo '— strict types' && $(BIN)/mypy
	@echo '— import contracts' && $(BIN)/lint-imports --no-logo
	@echo '— architecture' && $(BIN)/python -m checks.architecture
	@echo '— weight' && $(BIN)/python -m checks.weigh_base_install
	@echo '— retrieval' && $(BIN)/docgraph ingest docs --repository docgraph --store $(OWN) --quiet && \
	  $(BIN)/docgraph test tests/retrieval/questions.yaml --store $(OWN) --junit build/retrieval.xml
	@echo '— what is shown by repetition, more often' && $(PYTEST) --dist load --maxschedchunk 1 --thorough
	@echo '— requirements' && $(MAKE) --no-print-directory $(RESULTS) && \
	  $(BIN)/python -m checks.count_requirements --brief $(RESULTS)

architecture: $(READY) ## measure modules, sizes, files of a question, repetitions and names against limits
	@$(BIN)/python -m checks.architecture

bench: $(READY) ## time ingestion, questions, growth, Postgres and peers that are installed, as ratios
	@$(BIN)/python -m benchmarks.ingest
	@$(BIN)/python -m benchmarks.access
	@$(BIN)/python -m benchmarks.postgres
	@$(BIN)/python -m benchmarks.cold
	@$(BIN)/python -m benchmarks.growth $(SIZES) $(if $(PICTURE),--picture $(PICTURE))
	@$(MAKE) --no-print-directory $(FLOOR) || echo 'docgraph: bm25s could not be installed'
	@python=$(PEERS)/bin/python; test -e $(FLOOR) || python=$(BIN)/python; \
	  PYTHONPATH=src $$python -m benchmarks.speed && PYTHONPATH=src $$python -m benchmarks.compare

peers: $(FLOOR) ## install the libraries that `make bench` compares with; txtai brings gigabytes
	@$(PEERPIP) install --requirement benchmarks/requirements.txt

quality: $(READY) ## measure every judged set in DATA, write the tables of docs/quality.md
	@$(BIN)/python -m benchmarks.quality $(DATA) $(SETS)

load: $(READY) ## many clients on one server, on both stores, while an ingest runs; loopback only
	@$(BIN)/python -m benchmarks.load

prove: $(READY) ## 10,000 hostile inputs for every reader, then 100,000 examples of no interference
	@$(PYTEST) tests/fuzz --hypothesis-profile prove
	@DOCGRAPH_HTTP_CASES=200 $(PYTEST) tests/integration/http/test_schema.py
	@$(BIN)/python -m benchmarks.prove

format: $(READY) ## put the code in its one format, mend what can be mended
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

picture: $(READY) ## draw docs/pictures/plan.svg again, out of the README's session
	@$(BIN)/python -m tests.acceptance.test_readme

requirements: $(READY) ## each line of docs/requirements.md with the tests that keep it
	@$(PYTEST) -m requirement --requirements=$(RESULTS)
	@$(BIN)/python -m checks.count_requirements $(RESULTS)

lock: $(READY) ## choose newest allowed versions, write them with their hashes
	@$(PIP) install 'uv>=0.7'
	@$(COMPILE) pyproject.toml --output-file requirements.lock
	@$(COMPILE) pyproject.toml --extra all --extra haystack --extra langchain --extra llamaindex \
	  --group dev --constraint requirements.lock --output-file requirements-dev.lock

clean: ## remove everything that make has made
	@rm -rf $(VENV) build dist .docgraph .hypothesis .import_linter_cache .mypy_cache \
	  .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Which tests passed; if something has changed since, they are run again.
$(RESULTS): $(READY) $(shell find src tests checks docs benchmarks *.md -type f -not -name '*.pyc')
	@$(MAKE) --no-print-directory test

# The project itself, on top of the locked packages; again when pyproject.toml changes.
$(READY): $(VENV)/.locked pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

# What docgraph itself needs, exactly as locked, and bm25s.
$(FLOOR): requirements.lock benchmarks/requirements.txt | $(READY)
	@$(BIN)/python -m venv --clear $(PEERS)
	@$(PEERPIP) install --require-hashes --requirement requirements.lock
	@$(PEERPIP) install --constraint benchmarks/requirements.txt bm25s
	@touch $@

# The server and its model, exactly as pinned; again when the pins change.
$(LLM)/.installed: tests/llm/requirements.txt | $(READY)
	@echo 'docgraph: compiling a model server in $(LLM), once'
	@$(BIN)/python -m venv --clear $(LLM)
	@$(LLMPIP) install --no-deps --requirement tests/llm/requirements.txt
	@touch $@

# A fresh environment with exactly the locked packages; again when the lock changes.
$(VENV)/.locked: requirements-dev.lock
	@python=$$(sh checks/find_python.sh $(PYTHON)) && \
	  echo "docgraph: setting up $(VENV) with $$($$python -V), once" && \
	  $$python -m venv --clear $(VENV)
	@$(PIP) install --require-hashes --requirement requirements-dev.lock
	@touch $@
