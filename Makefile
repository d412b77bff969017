# Two commands set everything up by themselves: `make demo` and `make test`.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo docs test lint types unit quick unit-solving unit-others browser format bench validate gallery clean

demo: .venv/ready ## make the dam break's movie
	$(BIN)/plash run dam_break --frames 60 --out out/demo/dam_break
	@echo "The movie is $(CURDIR)/out/demo/dam_break/dam_break.mp4"

test: lint types unit ## everything that must hold

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The package is read as Windows would, too: what a system does not have is an error there
types: .venv/ready
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src

# In two processes of one thread each, as most of the time of a first run is that of compiling kernels, one by one
unit: .venv/ready browser
	@echo "Tests run in two processes, and each reports when it is done: 20 to 25 minutes, most of it for compiling"
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target unit-solving unit-others

quick: .venv/ready ## while editing: the tests without those marked slow, in less than two minutes on two cores once kernels are compiled
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target CHOICE='-m "not slow"' unit-solving unit-others

SOLVING := tests/end_to_end tests/linear tests/pipeline tests/solvers
# Of the other half, those that simulate go last: the first half has compiled their kernels by then
LAST := tests/exports tests/files tests/fuzz tests/levelset tests/mesh tests/particles tests/physics tests/whitewater
FIRST := $(filter-out $(SOLVING) $(LAST) tests/__pycache__,$(patsubst %/,%,$(wildcard tests/*/)) $(wildcard tests/test_*.py)) src/plash
CHOICE :=

unit-solving:
	PLASH_TEST_THREADS=1 $(BIN)/python -m pytest $(CHOICE) $(SOLVING)

unit-others:
	PLASH_TEST_THREADS=1 $(BIN)/python -m pytest $(CHOICE) $(FIRST) $(LAST)

browser: ## Debian's chromium for the tests of the studio, where it may be installed
	@if [ "$$PLASH_NO_BROWSER" = 1 ] || command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get install --yes --quiet --no-install-recommends chromium || \
		{ apt-get update --quiet && apt-get install --yes --quiet --no-install-recommends chromium; } || \
		echo "chromium could not be installed: install it yourself, or set PLASH_NO_BROWSER=1 to leave its tests out"; \
	else echo "The tests of the studio need a browser: sudo apt-get install chromium, or set PLASH_NO_BROWSER=1"; fi

format: .venv/ready ## bring the source into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/ready ## measure; see benchmarks/README.md
	OMP_PROC_BIND=true $(BIN)/python -m benchmarks.run --out out/benchmarks.json

validate: .venv/ready ## compare with published answers at full size, and rewrite docs/validation.md (an hour)
	$(BIN)/python -m validation

docs: .venv/ready ## the site: out/docs/index.html
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs out/docs
	@echo "The site is $(CURDIR)/out/docs/index.html"

gallery: .venv/ready ## pictures and clips of every scene, and docs/gallery.md; goes on where it was stopped
	$(BIN)/python -m gallery

clean:
	rm -rf .venv out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch .venv/ready
