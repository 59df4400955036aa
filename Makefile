# Everything a checkout needs. The environment in .venv is made once and renewed when pyproject.toml changes.
#   make demo      color the graphs in examples/data, print a table, draw demo/colors.png
#   make test      run the tests                  PYTEST="-k io" passes arguments to pytest,
#                                                 LAGCOLOR_HYPOTHESIS=thorough draws 2000 random graphs per test, not 30
#   make quick     tests/contract, which has what the library promises, by public names: before each commit
#   make lint      ruff, mypy, and tools/prose.py, which finds phrases that are hard to read
#   make boundscheck   tests of all compiled loops with checks of the bounds of arrays
#   make kernels   compile every CUDA source for all supported architectures, without a GPU
#   make docs      the documentation site, in build/docs; any warning is an error
#   make tables    renew the tables that README.md and docs/ take from the registry
#   make pictures  renew the pictures that docs/ takes from benchmarks/results

PYTHON ?= python3
PYTEST ?=
BIN := .venv/bin

.PHONY: demo test quick lint boundscheck kernels docs tables pictures clean

demo: .venv/.installed-plot
	$(BIN)/python examples/demo.py

test: .venv/.installed-test
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST)

quick: .venv/.installed-test
	$(BIN)/python -m pytest -n auto --dist worksteal tests/contract $(PYTEST)

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/prose.py

boundscheck: .venv/.installed-test
	$(BIN)/python tools/boundscheck.py

kernels: .venv/.installed-test
	$(BIN)/python tools/compile_kernels.py

docs: .venv/.installed-docs
	$(BIN)/python -m sphinx -b html -q -W --keep-going -d build/doctrees docs build/docs

tables: .venv/.installed-test
	$(BIN)/python tools/update_tables.py

pictures: .venv/.installed-test
	$(BIN)/python tools/update_pictures.py

clean:
	rm -rf .venv build dist demo docs/gallery docs/generated docs/sg_execution_times.rst *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("lagcolor needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv .venv

.venv/.installed-%: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@rm -rf .venv/lib/python*/site-packages/lagcolor .venv/lib/python*/site-packages/semirings  # what `pip install .` left would hide the checkout
	@touch $@
