# Everything a developer or CI runs. `make help` lists it.
#
# Two environments grow inside .venv: what memstone needs (`make demo`), and on top of it what the
# checks need. A stamp file says which is there; it is renewed when pyproject.toml changes.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
# where an encoding is not said aloud Python warns, and a warning fails the tests
PYTEST := PYTHONWARNDEFAULTENCODING=1 $(RUN) -m pytest
OLDEST := 3.11

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DELETE_ON_ERROR:
.PHONY: help demo test quick lint types docs golden bench torture others e2e conformance wheel clean

help:  ## list the targets
	@sed -n 's/^\([a-z0-9]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/.runs  ## a bilingual conversation goes in, the right memories come out
	@$(RUN) examples/demo.py

test: lint types others  ## what CI runs: lint, types, tests on every Python found
	$(PYTEST)

quick: $(VENV)/.checks  ## the tests without the slow ones
	$(PYTEST) -m "not slow"

lint: $(VENV)/.checks  ## ruff: rules and format
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: $(VENV)/.checks  ## mypy, strict, on the package and the tests
	$(RUN) -m mypy src tests

docs: $(VENV)/.checks  ## paths, commands and examples in the documents
	$(PYTEST) -k "docs or readme or document" tests
	$(PYTEST) src

golden: $(VENV)/.checks  ## rewrite the golden files; read the diff before you commit it
	$(PYTEST) -k golden --update-golden tests

bench: $(VENV)/.checks  ## the figures of the README, measured on this machine
	$(RUN) -m benchmarks

torture: $(VENV)/.checks  ## properties with many more and new random examples
	HYPOTHESIS_PROFILE=torture $(PYTEST) tests/property tests/unit

others: $(VENV)/.checks  ## a quicker selection of the tests on the other Pythons found
	$(RUN) tools/other_pythons.py

e2e: $(VENV)/.checks  ## the real Claude Code and Codex against a fake model; downloads 600 MB once
	$(RUN) -m tools.e2e --write
	$(RUN) -m tools.e2e.document --write

conformance: $(VENV)/.checks  ## the MCP conformance suite and inspector; downloads 200 MB once
	$(RUN) -m tools.e2e.conformance --write
	$(RUN) -m tools.e2e.document --write

wheel: $(VENV)/.runs  ## dist/memstone-….whl
	$(RUN) -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:  ## remove everything that was built
	rm -rf $(VENV) .build build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
	rm -rf src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < tuple(map(int, "$(OLDEST)".split("."))))' \
	  || { echo 'memstone needs Python $(OLDEST) or newer, and "$(PYTHON)" is not one.' \
	            'Name yours: make PYTHON=python3.12' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runs: pyproject.toml | $(RUN)
	$(RUN) -m pip install --quiet --editable .
	@touch $@

$(VENV)/.checks: pyproject.toml | $(RUN)
	$(RUN) -m pip install --quiet --editable '.[dev]'
	@node -e 'process.exit(parseInt(process.versions.node) < 18)' 2>/dev/null \
	  || $(RUN) -m pip install --quiet --editable '.[node]'
	@touch $(VENV)/.runs $@
