# Two commands do everything on a fresh machine with python3, make and git:
#   make book   build the book into _build/html/
#   make test   lint, then prove every claim: unit tests, each notebook cell, each page in a browser
# and one proves the lower bounds in requirements.txt:
#   make test-lowest   unit tests and oracles with the oldest versions allowed
# LOCKED=1 after either of the two uses exactly the versions of requirements.lock, checked by hash.
PYTHON ?= python3
VENV := .venv$(if $(LOCKED),-locked)
BIN := $(VENV)/bin

book: $(VENV)/ready
	$(BIN)/jupyter-book build book/ -W --keep-going

# The book first: tests/book/test_pages.py looks at its pages.
test: book
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest --nbval -n auto --dist loadfile --max-worker-restart 0

test-lowest: .venv-lowest/ready
	.venv-lowest/bin/python -m pytest -n auto --dist loadfile tests/unit tests/oracle

# Installs the wheel in a fresh environment with the core's dependencies alone, and uses it.
test-wheel: $(VENV)/ready
	$(BIN)/python -m pytest -m fresh tests/unit/test_wheel.py tests/unit/test_examples.py

# The whole book as one file, _build/herocon.pdf, printed by Chromium.
pdf: $(VENV)/ready
	$(BIN)/python book/_tools/pdf.py

# Runs every chapter from its .py, stores the outputs in its .ipynb.
notebooks: $(VENV)/ready
	$(BIN)/python book/_tools/run_notebooks.py

bench: $(VENV)/ready
	$(BIN)/python -m herocon_lite bench

# uv installs the same versions as pip in a quarter of the time.
.venv/ready: WANTED := -r requirements.txt
.venv-lowest/ready: WANTED := --resolution lowest-direct -r requirements.txt
.venv-locked/ready: WANTED := --require-hashes -r requirements.lock
.venv/ready .venv-lowest/ready: requirements.txt
.venv-locked/ready: requirements.lock
.venv/ready .venv-lowest/ready .venv-locked/ready: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet uv
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python $(WANTED)
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python --no-deps -e .
	touch $@

clean:
	rm -rf _build .venv .venv-lowest .venv-locked .pytest_cache .hypothesis .ruff_cache

.PHONY: book test test-lowest test-wheel notebooks bench pdf clean
