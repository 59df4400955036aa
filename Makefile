# Everything a checkout needs. make creates the environment in .venv once, and renews it when pyproject.toml changes.
#   make demo      color the graphs in examples/data, print a table, draw demo/colors.png
#   make test      run the tests, count the skipped   PYTEST="-k io" passes arguments to pytest,
#                                                 LAGCOLOR_HYPOTHESIS=thorough draws 2000 random graphs per test, not 30
#   make quick     tests/contract, which has what the library promises, by public names: before each commit
#   make lint      ruff, mypy, tools/prose.py, which finds phrases that are hard to read, and the budget
#   make budget    lines, files, parameters and imports, which may not grow past tools/budget.toml
#   make history   commits that change golden digests also change CHANGELOG.md
#   make boundscheck   tests of all compiled loops with checks of the bounds of arrays
#   make coverage  run the tests and measure which branches of the Python code they take
#   make kernels   compile every CUDA source for all supported architectures, without a GPU
#   make docs      the documentation site, in build/docs; any warning is an error
#   make site-check    look at every page of the site in Chromium: widths, colors, links, accessibility
#   make tables    renew the tables that README.md and docs/ take from the registry
#   make dist      build the wheel and the source distribution, check them, and test what they install
#   make extras    run examples, README.md, docs/start and docs/how_to, each with what it says to install and no more
#   make floor     tests/contract with the oldest versions that pyproject.toml allows; OLDEST=… names Python 3.12
#   make reproduce   the graphs of README.md's table on this CPU, next to the committed figures; LAGCOLOR_DATA has them
#   make pictures  renew the pictures of docs/: plots of benchmarks/results, algorithms step by step, thumbnails

# The first of these that is new enough: pyenv's commands run the version that is chosen there alone.
PYTHON ?= $(shell for p in python3.13 python3.12 python3 $$HOME/.pyenv/versions/3.13.*/bin/python $$HOME/.pyenv/versions/3.12.*/bin/python; do \
  "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && { echo "$$p"; break; }; done)
PYTEST ?=
EXTRAS ?=
BIN := .venv/bin

.PHONY: demo test quick lint budget history boundscheck coverage kernels docs site-check tables reproduce pictures dist extras floor clean

demo: .venv/.installed-plot
	$(BIN)/python examples/demo.py

test: .venv/.installed-test
	$(BIN)/python -m pytest -n auto --dist worksteal $(or $(PYTEST),--skips)

quick: .venv/.installed-test
	$(BIN)/python -m pytest -n auto --dist worksteal tests/contract $(PYTEST)

lint: .venv/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/prose.py --all
	$(BIN)/python tools/budget.py

budget: .venv/.installed-dev
	$(BIN)/python tools/budget.py

history: .venv/.installed-dev
	$(BIN)/python tools/golden.py history

boundscheck: .venv/.installed-test
	$(BIN)/python tools/boundscheck.py

# Coverage slows Python down, so tests that measure times may fail: the report comes all the same.
coverage: .venv/.installed-test
	$(BIN)/coverage erase
	-$(BIN)/coverage run -m pytest -n auto --dist worksteal $(PYTEST)
	find build/coverage -name 'data.*' -empty -delete  # of processes that were killed
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet --directory build/coverage/html
	$(BIN)/coverage report --skip-covered --sort=cover

kernels: .venv/.installed-test
	$(BIN)/python tools/compile_kernels.py

docs: .venv/.installed-docs
	$(BIN)/python -m sphinx -b html -q -W --keep-going -d build/doctrees docs build/docs

site-check: docs
	@if command -v node > /dev/null; then node tools/site_check/check.mjs build/docs; \
	else echo "site check skipped: there is no Node.js"; fi

dist: | .venv/bin/python
	bash tools/check_dist.sh $(BIN)/python build/dist

extras: | .venv/bin/python
	$(BIN)/python tools/extras.py $(EXTRAS)

# The oldest Python that the project takes: a newer one would test other versions of the dependencies.
IS_OLDEST := -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' 2> /dev/null
OLDEST ?= $(shell for p in python3.12 $$HOME/.pyenv/versions/3.12.*/bin/python $(PYTHON); do \
  "$$p" $(IS_OLDEST) && { echo "$$p"; break; }; done)

floor:
	@"$(OLDEST)" $(IS_OLDEST) || { echo "make floor needs Python 3.12: make OLDEST=/path/to/python3.12 floor"; exit 1; }
	rm -rf build/floor && $(OLDEST) -m venv build/floor
	build/floor/bin/python -m pip install --quiet --disable-pip-version-check --constraint tools/floors.txt --editable '.[test]'
	build/floor/bin/python -m pytest -q -n auto -p no:cacheprovider tests/contract

tables: .venv/.installed-test
	$(BIN)/python tools/update_tables.py

reproduce: .venv/.installed-test
	$(BIN)/python -m benchmarks.reproduce

pictures: .venv/.installed-test
	$(BIN)/python tools/update_pictures.py
	$(BIN)/python tools/update_explanation_pictures.py
	$(BIN)/python tools/update_step_pictures.py
	$(BIN)/python tools/update_thumbnails.py

clean:
	rm -rf .venv build dist demo docs/gallery docs/generated docs/sg_execution_times.rst .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "lagcolor needs Python 3.12 or newer: make PYTHON=python3.13 …"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.installed-%: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@rm -rf .venv/lib/python*/site-packages/lagcolor  # what `pip install .` left would hide the checkout
	@touch $@
