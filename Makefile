# docgraph: every command here sets up what it needs, once, in .venv. `make demo` installs what a user
# needs; `make test`, and whatever else a developer runs, adds the rest to it.

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
# Processes of the server in `make load`, and a checkout of docgraph to compare with instead:
# make SERVERS=2 AGAINST=../before load
SERVERS ?= 1
AGAINST ?=
# Source trees that questions are asked about, by path; the installed packages, if none is given:
# make TREES='../django ../cpython' bench
TREES   ?=

# Without bytecode, which some container images forbid, each of the many processes that tests start
# would compile all that it imports once more.
unexport PYTHONDONTWRITEBYTECODE

VENV    := .venv
BIN     := $(VENV)/bin
# The environment, in three steps: the packages that docgraph needs, docgraph itself, what developers add.
LOCKED  := $(VENV)/.locked
READY   := $(VENV)/.installed
DEV     := $(VENV)/.dev-installed
# The build backend, outside site-packages: .venv then holds what a user's environment holds.
BACKEND := $(VENV)/build-backend
# Example plug-ins, each a package; tests use them as installed.
EXAMPLES := $(patsubst %/pyproject.toml,%,$(wildcard examples/*/pyproject.toml))
# Given with '=': a separate word that names a file would be taken for the tests to run.
RESULTS := build/requirements.json
# docgraph's own documents, asked what they must answer.
OWN     := build/own.db

# Libraries to compare with, in an environment of their own beside docgraph's locked packages.
PEERS   := build/peers
BASELINE := $(PEERS)/.baseline
PEERPIP := $(PEERS)/bin/python -m pip --quiet --quiet --disable-pip-version-check --no-input

# A real model server, in an environment of its own: it is compiled, which takes a quarter of an hour.
LLM     := build/llm
LLMPIP  := $(LLM)/bin/python -m pip --quiet --quiet --disable-pip-version-check --no-input

PYTEST  := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal
PIP     := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check --no-input
# Bytecode is written for what is imported, not for all that is installed: 41 MB and a third of the time.
# The locks are complete: no package is looked for beside them.
INSTALL := $(PIP) install --no-compile --no-deps --require-hashes --requirement
COMPILE := $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 \
           --fork-strategy fewest --generate-hashes --no-header --no-annotate --upgrade

.DEFAULT_GOAL := help
.PHONY: help demo test test-llm check architecture bench peers quality load prove mutate format picture requirements lock clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(READY) ## install what a user needs, ingest a few notes, ask them a question, show why
	@echo 'docgraph: asking nine short notes a question'
	@$(BIN)/docgraph demo
	@echo 'First, to put docgraph on the path: . $(BIN)/activate'

test: $(DEV) ## add what developers need, run every test
	@echo 'docgraph: running every test, $(WORKERS) at a time'
	@$(PYTEST) --requirements=$(RESULTS)

test-llm: $(LLM)/.installed ## ask a real model server, which is compiled first, once
	@LLM=$(LLM) $(BIN)/python -m pytest tests/llm

check: $(DEV) ## format, lint, types, contracts, architecture, weight, retrieval, repetitions, requirements
	@echo '— format and lint' && $(BIN)/ruff format --quiet --diff . && $(BIN)/ruff check --quiet .
	@echo '— strict types' && $(BIN)/mypy
	@echo '— import contracts' && $(BIN)/lint-imports --no-logo
	@echo '— architecture' && $(BIN)/python -m checks.architecture
	@echo '— weight' && $(BIN)/python -m checks.weigh_base_install
	@echo '— retrieval' && $(BIN)/docgraph ingest docs --repository docgraph --store $(OWN) --quiet && \
	  $(BIN)/docgraph test tests/retrieval/questions.yaml --store $(OWN) --junit build/retrieval.xml
	@echo '— what is shown by repetition, more often' && $(PYTEST) --dist load --maxschedchunk 1 --thorough
	@echo '— requirements'
	@$(MAKE) --no-print-directory $(RESULTS)
	@$(BIN)/python -m checks.count_requirements --brief $(RESULTS)

architecture: $(DEV) ## measure modules, sizes, files of a question, repetitions and names against limits
	@$(BIN)/python -m checks.architecture

bench: $(DEV) ## time ingestion, questions, growth, Postgres and peers that are installed, as ratios
	@$(BIN)/python -m benchmarks.ingest
	@$(BIN)/python -m benchmarks.first_answer $(TREES)
	@$(BIN)/python -m benchmarks.access
	@$(BIN)/python -m benchmarks.postgres
	@$(BIN)/python -m benchmarks.cold
	@$(BIN)/python -m benchmarks.growth $(SIZES) $(if $(PICTURE),--picture $(PICTURE))
	@$(MAKE) --no-print-directory $(BASELINE) || echo 'docgraph: bm25s could not be installed'
	@python=$(PEERS)/bin/python; test -e $(BASELINE) || python=$(BIN)/python; \
	  PYTHONPATH=src $$python -m benchmarks.speed && \
	  PYTHONPATH=src $$python -m benchmarks.tree_questions $(TREES) && \
	  PYTHONPATH=src $$python -m benchmarks.compare

peers: $(BASELINE) ## install the libraries that `make bench` compares with; txtai brings gigabytes
	@$(PEERPIP) install --requirement benchmarks/requirements.txt

quality: $(DEV) ## measure every judged set in DATA, write the tables of docs/quality.md
	@$(BIN)/python -m benchmarks.quality $(DATA) $(SETS)

load: $(DEV) ## many clients on one server, on both stores, while an ingest runs; loopback only
	@$(BIN)/python -m benchmarks.load --workers $(SERVERS) \
	  $(if $(AGAINST),--against '$(AGAINST)' --clients 16 --documents 2000 --seconds 15)

prove: $(DEV) ## 10,000 hostile inputs for every reader, longer growth, 100,000 examples of no interference
	@$(PYTEST) tests/fuzz --hypothesis-profile prove
	@DOCGRAPH_HTTP_CASES=200 $(PYTEST) tests/integration/http/test_schema.py
	@$(PYTEST) tests/growth --longer-growth
	@$(BIN)/python -m benchmarks.prove

mutate: $(DEV) ## plant faults in a copy of the code, one at a time; named tests must find each
	@$(BIN)/python -m checks.mutate --workers $(WORKERS)

format: $(DEV) ## put the code in its one format, mend what can be mended
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

picture: $(DEV) ## draw docs/pictures/plan.svg again, out of the README's session
	@$(BIN)/python -m tests.acceptance.test_readme

requirements: $(DEV) ## each line of docs/requirements.md with the tests that keep it
	@$(PYTEST) -m requirement --requirements=$(RESULTS)
	@$(BIN)/python -m checks.count_requirements $(RESULTS)

lock: $(READY) ## choose newest allowed versions, write them with their hashes
	@echo 'docgraph: choosing the newest versions that pyproject.toml allows, with uv'
	@$(PIP) install 'uv>=0.7'
	@$(COMPILE) pyproject.toml --output-file requirements.lock
	@$(COMPILE) --group build --constraint requirements.lock --output-file requirements-build.lock
	@$(COMPILE) pyproject.toml --extra all --extra faiss --extra haystack --extra langchain --extra llamaindex \
	  --group dev --constraint requirements.lock --constraint requirements-build.lock \
	  --output-file requirements-dev.lock

clean: ## remove everything that make has made
	@rm -rf $(VENV) build dist .docgraph .hypothesis .import_linter_cache .mypy_cache \
	  .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Which tests passed; if something has changed since, they are run again.
$(RESULTS): $(READY) $(DEV) $(shell find src tests checks docs benchmarks examples *.md -type f -not -name '*.pyc')
	@$(MAKE) --no-print-directory test

# What docgraph itself needs, exactly as locked, and bm25s.
$(BASELINE): requirements.lock benchmarks/requirements.txt | $(READY)
	@$(BIN)/python -m venv --clear $(PEERS)
	@$(PEERPIP) install --no-deps --require-hashes --requirement requirements.lock
	@$(PEERPIP) install --constraint benchmarks/requirements.txt bm25s
	@touch $@

# The server and its model, exactly as pinned; again when the pins change.
$(LLM)/.installed: tests/llm/requirements.txt | $(DEV)
	@echo 'docgraph: compiling a model server in $(LLM), once'
	@$(BIN)/python -m venv --clear $(LLM)
	@$(LLMPIP) install --no-deps --requirement tests/llm/requirements.txt
	@touch $@

# A fresh environment with exactly the packages that docgraph needs; again when any lock changes, so
# that nothing stays that has left a lock.
$(LOCKED): requirements.lock requirements-build.lock requirements-dev.lock
	@python=$$(sh checks/find_python.sh $(PYTHON)) && \
	  echo "docgraph: making $(VENV) with $$($$python -V)" && \
	  $$python -m venv --clear $(VENV)
	@echo 'docgraph: installing what docgraph needs into $(VENV), once: about 95 MB to download, 255 MB on disk'
	@$(INSTALL) requirements.lock
	@$(INSTALL) requirements-build.lock --target $(BACKEND)
	@touch $@

# The project itself, from src; again when pyproject.toml changes. Nothing is downloaded.
$(READY): $(LOCKED) pyproject.toml
	@echo 'docgraph: installing docgraph itself, from src'
	@PYTHONPATH=$(BACKEND) $(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

# What developers add, in the same environment; the example plug-ins too.
$(DEV): $(LOCKED) $(addsuffix /pyproject.toml,$(EXAMPLES)) | $(READY)
	@echo 'docgraph: adding what tests and checks need to $(VENV), once: about 165 MB to download, 515 MB on disk'
	@$(INSTALL) requirements-dev.lock
	@PYTHONPATH=$(BACKEND) $(PIP) install --no-index --no-deps --no-build-isolation $(addprefix --editable ,$(EXAMPLES))
	@touch $@
