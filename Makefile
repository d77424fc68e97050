# The same checks run locally and in CI. `make check test` is what a change must pass.
PYTHON ?= .venv/bin/python
BIN := $(dir $(PYTHON))

.PHONY: venv check test mutate bench format schema problems

venv:
	python3 -m venv .venv
	.venv/bin/pip install --quiet --editable '.[local,dev]'

check:
	$(BIN)ruff check .
	$(BIN)ruff format --check .
	$(BIN)mypy
	$(BIN)lint-imports
	$(PYTHON) -m agency_cli.schema --check
	$(PYTHON) -m agency_cli.rules --check

test:
	$(BIN)pytest -n auto

mutate:
	$(PYTHON) tests/mutate.py 10000

bench:
	$(PYTHON) tests/bench/run.py
	$(PYTHON) tests/bench/scale.py

format:
	$(BIN)ruff check --fix .
	$(BIN)ruff format .

problems:
	$(PYTHON) -m agency_cli.rules

schema:
	$(PYTHON) -m agency_cli.schema
