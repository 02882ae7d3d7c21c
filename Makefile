# What can be run here. PORT (8000) and KBPO_HOME (./var) are respected.

PORT ?= 8000
KBPO_HOME ?= $(CURDIR)/var
# The Pythons that are supported; without PYTHON the first of them that is there.
SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do \
	$$name -c "$(SUPPORTED)" 2>/dev/null && echo $$name && break; done)
BIN := .venv/bin
ENV := KBPO_HOME="$(KBPO_HOME)" PORT="$(PORT)"

.DEFAULT_GOAL := help
.PHONY: help setup lock demo test test-all check bench fuzz openapi settings clean

help:  ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile

# uv installs each group of pyproject.toml when a target needs it, with the versions and hashes of requirements.txt. Where
# uv cannot be had, pip installs all groups.
UV := .uv/bin/uv
DEMO := .venv/installed-demo
TESTS_GROUP := .venv/installed-tests
LINT_GROUP := .venv/installed-lint
RESEARCH_GROUP := .venv/installed-research
$(DEMO): GROUPS := runtime embedded
$(TESTS_GROUP): GROUPS := tests
$(LINT_GROUP): GROUPS := lint
$(RESEARCH_GROUP): GROUPS := research
$(TESTS_GROUP) $(LINT_GROUP) $(RESEARCH_GROUP): $(DEMO)

setup: $(DEMO)  ## make .venv with the service in it

$(DEMO) $(TESTS_GROUP) $(LINT_GROUP) $(RESEARCH_GROUP): requirements.txt pyproject.toml
	@$(PYTHON) -c "$(SUPPORTED)" 2>/dev/null || \
		{ echo "Python 3.11, 3.12 or 3.13 is needed: install one, or name it with 'make PYTHON=/path/to/python3.11'." >&2; \
		exit 1; }
	@[ -x $(BIN)/python ] && $(BIN)/python -c '' || $(PYTHON) -m venv --clear --without-pip .venv
	@echo "Installing into .venv: $(GROUPS)" >&2
	@{ [ -x $(UV) ] || $(FETCH_UV); } && \
		$(UV) pip install --quiet --no-config --python $(BIN)/python --require-hashes --constraints requirements.txt \
		$(GROUPS:%=--group %) || $(INSTALL_WITH_PIP)
	@$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" | \
		{ read -r folder && echo "$(CURDIR)/client" > "$$folder/kbpo-client.pth"; }
	@touch $@

FETCH_UV = { $(PYTHON) -m venv --clear .uv && sed -n '/^uv==/,/^ *\#/p' requirements.txt > .uv/requirements.txt && \
	.uv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .uv/requirements.txt; }
INSTALL_WITH_PIP = { echo "uv cannot install them: pip installs everything, which takes minutes" >&2 && \
	$(BIN)/python -m ensurepip --default-pip >/dev/null && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt; }

# One set of versions for every Python and system that is supported, with the hashes of all of their files.
LOCK := $(UV) pip compile --quiet --no-config --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
# What is locked keeps its version, unless UPGRADE says otherwise: --upgrade, or "--upgrade-package django".
UPGRADE ?=
lock:  ## write requirements.txt and requirements/runtime.txt anew from pyproject.toml
	@[ -x $(UV) ] || $(FETCH_UV)
	@$(LOCK) $(UPGRADE) --group runtime --group embedded --group tests --group lint --group research --group install \
		--output-file requirements.txt
	@$(LOCK) --group runtime --constraints requirements.txt --output-file requirements/runtime.txt

# Processes keep the bytecode that they compile: each of them would compile it again.
demo: export PYTHONDONTWRITEBYTECODE =
demo: $(DEMO)  ## serve a populated site until Ctrl-C
	@$(ENV) exec $(BIN)/python -m demo.serve

# Each of the processes has its own servers and its own browser. What Python compiled, and pytest rewrote, is kept: each
# of them would do it anew.
PROCESSES ?= 3
test test-all: export PYTHONDONTWRITEBYTECODE =
PYTEST := $(BIN)/python -m pytest -q -n $(PROCESSES) --dist worksteal
test: $(TESTS_GROUP) $(RESEARCH_GROUP)  ## run the tests but the slow ones, in PROCESSES (3)
	@$(PYTEST) -m "not slow" $(TESTS)

test-all: $(TESTS_GROUP) $(RESEARCH_GROUP)  ## run every test, slow ones included
	@$(PYTEST) $(TESTS)

check: $(LINT_GROUP) $(RESEARCH_GROUP)  ## linters of Python, JavaScript and templates, types, import rules, migrations, production settings
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy
	@$(BIN)/oxlint --format unix static/js tests/javascript
	@[ ! -d templates ] || $(BIN)/djlint templates --lint --check
	@$(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING
	@$(PRODUCTION) $(BIN)/python -W ignore manage.py makemigrations --check --dry-run

# Nothing is there, and nothing is connected to: these are the shapes of a server's settings.
PRODUCTION := DEBUG=0 \
	SECRET_KEY=checks-only-Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVw \
	ALLOWED_HOSTS=kbpo.example.org \
	SITE_URL=https://kbpo.example.org \
	DATABASE_URL=postgres://kbpo:kbpo@127.0.0.1:1/kbpo \
	REDIS_URL=redis://127.0.0.1:1/0 \
	TRUSTED_PROXIES=127.0.0.1 \
	EMAIL_URL=smtp+tls://kbpo:kbpo@127.0.0.1:1 \
	DEFAULT_FROM_EMAIL=kbpo@kbpo.example.org

bench: $(TESTS_GROUP) $(RESEARCH_GROUP)  ## measure the figures of docs/benchmarks
	@$(BIN)/python -m research.benchmarks

# atheris is no requirement of the project: it is needed for this alone, and has wheels for few systems.
FUZZ_SECONDS ?= 1800
fuzz: $(TESTS_GROUP)  ## look for inputs that break the reader, for FUZZ_SECONDS; findings in KBPO_HOME/fuzz-*
	@$(BIN)/python -c 'import atheris' 2>/dev/null || \
		{ echo "make fuzz needs atheris: run '$(BIN)/python -m pip install atheris' first." >&2; exit 1; }
	@mkdir -p "$(KBPO_HOME)"
	@$(BIN)/python -m tests.fuzz.fuzz_reader "$(KBPO_HOME)/fuzz" -dict=tests/fuzz/kb.dict -max_len=4096 \
		-max_total_time=$(FUZZ_SECONDS) -artifact_prefix="$(KBPO_HOME)/fuzz-"

openapi: setup  ## write the description of the API into docs/api/openapi.json
	@$(BIN)/python -m docs.openapi

settings: setup  ## write every variable of the environment into docs/settings.md
	@$(BIN)/python -m kbpo.environment > docs/settings.md

clean:  ## remove everything that was made, but KBPO_HOME
	@rm -rf .venv .uv staticfiles .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
