# Two commands do everything on a fresh machine with python3, make and git:
#   make book   build the book into _build/html/
#   make test   lint, then prove every claim: unit tests, each notebook cell, each page in a browser
# and one proves the lower bounds in requirements.txt:
#   make test-lowest   unit tests and oracles with the oldest versions allowed
PYTHON ?= python3
BIN := .venv/bin

book: .venv/ready
	$(BIN)/jupyter-book build book/ -W --keep-going

# The book first: tests/book/test_pages.py looks at its pages.
test: book
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest --nbval -n auto --dist loadfile --max-worker-restart 0

test-lowest: .venv-lowest/ready
	.venv-lowest/bin/python -m pytest -n auto --dist loadfile tests/unit tests/oracle

# Installs the wheel in a fresh environment with the core's dependencies alone, and uses it.
test-wheel: .venv/ready
	$(BIN)/python -m pytest -m fresh tests/unit/test_wheel.py tests/unit/test_examples.py

# The whole book as one file, _build/herocon.pdf, printed by Chromium.
pdf: .venv/ready
	$(BIN)/python book/_tools/pdf.py

# Runs every chapter from its .py, stores the outputs in its .ipynb.
notebooks: .venv/ready
	$(BIN)/python book/_tools/run_notebooks.py

bench: .venv/ready
	$(BIN)/python -m herocon_lite bench

# uv installs the same versions as pip in a quarter of the time.
.venv-lowest/ready: OLDEST := --resolution lowest-direct
.venv/ready .venv-lowest/ready: requirements.txt pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet uv
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python $(OLDEST) -r requirements.txt
	touch $@

clean:
	rm -rf _build .venv .venv-lowest .pytest_cache .hypothesis .ruff_cache

.PHONY: book test test-lowest test-wheel notebooks bench pdf clean
