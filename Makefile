# Two commands do everything on a fresh machine with python3, make and git:
#   make book   build the book into _build/html/
#   make test   lint, then prove every claim: unit tests and each notebook cell
PYTHON ?= python3
BIN := .venv/bin

book: .venv/ready
	$(BIN)/jupyter-book build book/ -W --keep-going

test: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest --nbval -n auto --dist loadfile --max-worker-restart 0

# Runs every chapter from its .py, stores the outputs in its .ipynb.
notebooks: .venv/ready
	$(BIN)/python book/_tools/run_notebooks.py

bench: .venv/ready
	$(BIN)/python -m herocon_lite bench

# uv installs the same versions as pip in a quarter of the time.
.venv/ready: requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements.txt
	touch $@

clean:
	rm -rf _build .venv .pytest_cache .hypothesis .ruff_cache

.PHONY: book test notebooks bench clean
