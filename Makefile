# Every target does its own set-up in .venv, from the versions in constraints.txt.
#   make run        play experiments/miss_value.toml and write its report
#   make test       lint, types and tests
#   make test-long  what takes long: proofs of hours, every broken kernel, every page in a browser
#   make test-cluster  runs on real schedulers and workers, which are killed (some minutes)
#   make report     play experiments/sample.toml and write the sample report, reports/sample.html
#   make picture    draw the pictures of the README, two figures of the sample report
#   make bench      deals per second here, beside the scalar baselines, and all that is asked of them
#   make sharp      what each word of play gains, and what play is worth, as docs/play.md has it
#   make equilibrium  solve for the built-in policy equilibrium and write docs/equilibrium.md (half an hour)
#   make near     solve for the policies near equilibrium under other rules that old-books needs
#   make old-books  put the claims of the old books to the test (half an hour): docs/claims.md, reports/old_books.html
#   make reference  write docs/reference.md from the code
#   make cost       draw docs/cost.svg: what a deal costs by players and by number of deals
#   make widths     how fast the kernels are with narrower vector instructions
# Another interpreter: make PYTHON=python3.13 test

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
EXPERIMENT := experiments/miss_value.toml
RESULT := results/miss_value
SAMPLE := results/sample

.PHONY: run report picture browser test test-long test-cluster bench sharp equilibrium near old-books reference cost widths lint clean
.DELETE_ON_ERROR:

run: $(VENV)/ready
	$(BIN)/loosim run $(EXPERIMENT) -o $(RESULT)
	$(BIN)/loosim report $(RESULT)

report: $(VENV)/ready
	$(BIN)/loosim run experiments/sample.toml -o $(SAMPLE)
	$(BIN)/loosim report $(SAMPLE)

picture: report
	$(BIN)/python docs/picture.py $(SAMPLE)

# Some tests look at the report in Debian's chromium. Where it cannot be installed they are skipped.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	  || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	    && echo "installing chromium, in which the tests look at the report" \
	    && apt-get -qq update \
	    && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium >/dev/null; } \
	  || echo "make: no chromium here, so the tests of the report in a browser are skipped (Debian: apt-get install chromium)" >&2

lint: $(VENV)/ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Before the tests: a few deals in kernels that check every index.
test: lint browser
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -n 2 \
	  tests/test_kernels_differential.py tests/test_kernels_announcements.py
	$(BIN)/python -m pytest -n 2

test-long: $(VENV)/ready-test
	$(BIN)/python -m pytest -n 2 -m long

test-cluster: $(VENV)/ready-test
	$(BIN)/python -m pytest -m "cluster or not cluster" tests/test_engines.py tests/test_cluster.py

bench: $(VENV)/ready
	$(BIN)/loosim bench --compile

sharp: $(VENV)/ready
	$(BIN)/python experiments/sharp.py

equilibrium: $(VENV)/ready
	$(BIN)/python experiments/equilibrium.py
	$(BIN)/python docs/equilibrium.py

# The policies near equilibrium under other rules, which old-books needs and which are kept here.
near: $(VENV)/ready
	$(BIN)/python experiments/equilibrium.py near-peel
	$(BIN)/python experiments/equilibrium.py near-32

old-books: $(VENV)/ready
	$(BIN)/loosim run experiments/old_books.toml -o results/old_books
	$(BIN)/loosim report results/old_books -o reports/old_books.html
	$(BIN)/python docs/old_books.py results/old_books

reference: $(VENV)/ready
	$(BIN)/python docs/reference.py

cost: $(VENV)/ready
	$(BIN)/python docs/cost.py

widths: $(VENV)/ready
	$(BIN)/python benchmarks/instruction_sets.py

clean:
	rm -rf $(VENV) build benchmarks/build *.egg-info .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/ready: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing loosim and what it needs into $(VENV)"
	$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/ready-test: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing loosim, what it needs and its test tools into $(VENV)"
	$(PIP) install --quiet --constraint constraints.txt --editable '.[test]'
	@touch $@ $(VENV)/ready

# Debian ships python3 without the means to put pip into an environment; then the pip or the
# virtualenv of the system does it, where there is one.
$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found: install Python 3.11 or newer, or name one: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "make: $$($(PYTHON) --version) is too old: loosim needs Python 3.11 or newer; name one: make PYTHON=..." >&2; exit 1; }
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
	  || $(PYTHON) -m virtualenv --quiet $(VENV) 2>/dev/null \
	  || { $(PYTHON) -m venv --clear --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; } 2>/dev/null \
	  || { rm -rf $(VENV); echo "make: $(PYTHON) cannot make a virtual environment: install its venv module (Debian, Ubuntu: apt-get install python3-venv), then run make again" >&2; exit 1; }
