# opweld: what a person and CI run. Each target sets up what it needs (virtual environments, Python packages, Go modules
# and tools) under build/, and does it once. PYTHON=python3.12 picks the CPython; the default is python3, or the newest
# from 3.10 to 3.13 that is found.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:

# Goals that need no Python do not look for it; the others get one set of folders and stamps a version.
ifeq ($(filter-out help clean golden test-go test-all,$(or $(MAKECMDGOALS),help)),)
PYV := none
else
PYTHON ?= $(shell tools/pythons default)
PYV := $(shell "$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
$(if $(PYV),,$(error "$(PYTHON)" is no CPython that can be used: give PYTHON=...))
endif

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_CONSTRAINT := tools/constraints.txt

STAMP := build/stamp
PINS := pyproject.toml tools/constraints.txt
ROOMS := $(wildcard gen npyapi pyext refcount templates)
GO_FILES := $(shell find $(ROOMS) -name '_*' -prune -o -type f ! -name '*_test.go' ! -path '*/testdata/*' -print)
PY_FILES := $(shell find python -name '*.egg-info' -prune -o -type f ! -name _engine_id.py \( -name '*.py' -o -name '*.pyi' -o -name '*.c' -o -name py.typed \) -print)
SOURCES := $(sort $(GO_FILES) $(PY_FILES) go.mod go.sum setup.py LICENSE $(wildcard README.md))

VENV := build/venv-$(PYV)
WHEEL := $(STAMP)/wheel-$(PYV)

comma := ,

# Runs pip for the environment $(1), which has no pip of its own.
pip = "$(VENV)/bin/python" -m pip --quiet --python "$(1)"

# First line of a recipe that makes a stamp: of two makes in one tree the second waits, and finds the work done. The
# stamp is as old as the start of the work, so that what is edited meanwhile is newer.
define begin
exec 9>build/.lock
! command -v flock >/dev/null || flock 9
if [ -e "$@" ] && [ -z "$$(find $^ -newer "$@" -print -quit)" ]; then exit 0; fi
touch "$@.begun"
endef
end = touch -r "$@.begun" "$@"; rm "$@.begun"

# Installs the built wheel with the extra $(2) into build/$(1)-X.Y; a new environment unless only the wheel is new.
define installed
$(begin)
env="build/$(1)-$(PYV)"
echo "· install the wheel into $$env"
if [ -n "$$(find $(PINS) $(STAMP)/venv-$(PYV) -newer "$@" 2>&1)" ]; then
	rm -rf "$$env"
	"$(PYTHON)" -m venv --without-pip "$$env"
	$(call pip,$$env) install "$$(cat $(WHEEL))$(2)"
else
	$(call pip,$$env) install --force-reinstall --no-deps "$$(cat $(WHEEL))"
fi
touch "$@"
$(end)
endef

.PHONY: help
help: ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: $(STAMP)/demo-$(PYV) ## build the wheel, install it into a new environment, run the examples
	@"build/demo-$(PYV)/bin/python" examples/demo.py

# Go's tests run beside pytest's; what they say is shown at the end.
.PHONY: test
test: ## all tests, on one CPython
	@mkdir -p build
	$(MAKE) --no-print-directory test-go >build/test-go.log 2>&1 & go=$$!
	trap 'kill $$go 2>/dev/null || :' EXIT
	$(MAKE) --no-print-directory PYTHON="$(PYTHON)" test-python && failed= || failed=1
	wait $$go || failed=1
	cat build/test-go.log
	[ -z "$$failed" ]

.PHONY: test-go
test-go:
	@echo "· go vet"
	go vet ./...
	echo "· go test"
	go test ./...

# Against the installed wheel: python/ is not on the path.
.PHONY: test-python
test-python: $(STAMP)/test-$(PYV)
	@echo "· pytest on CPython $(PYV)"
	"build/test-$(PYV)/bin/python" -m pytest -q -n auto --dist worksteal $(PYTEST_ARGS)

.PHONY: test-quick
test-quick: $(STAMP)/test-$(PYV) ## a cross-section of the tests, in less than a minute
	@echo "· pytest on CPython $(PYV)"
	"build/test-$(PYV)/bin/python" -m pytest -q -n auto --dist worksteal -m quick $(PYTEST_ARGS)

.PHONY: test-machines
test-machines: $(STAMP)/test-$(PYV) ## ten runs of pytest, each in another order, most without newer instructions: RUNS=10
	@"build/test-$(PYV)/bin/python" tools/machines.py $(or $(RUNS),10) -n auto --dist worksteal $(PYTEST_ARGS)

.PHONY: test-graphs
test-graphs: $(STAMP)/test-$(PYV) ## thousands of graphs at random, fused and not, against NumPy: GRAPHS=5000 SEED=0 LEVEL=x86-64-v3 THREADS=2
	@OPWELD_GRAPHS=$(or $(GRAPHS),5000) OPWELD_GRAPHS_SEED=$(or $(SEED),0) \
		OPWELD_PROCESSOR=$(LEVEL) OPWELD_GRAPHS_THREADS=$(or $(THREADS),1) "build/test-$(PYV)/bin/python" -m pytest -q \
		-n auto --dist worksteal tests/test_graphs_at_random.py $(PYTEST_ARGS)

.PHONY: test-pytensor
test-pytensor: $(STAMP)/test-$(PYV) ## PyTensor's own tests by its C and by opweld, compared: PYTENSOR_TESTS="--tests FOLDER tensor/test_elemwise.py"
	@"build/test-$(PYV)/bin/python" tools/pytensortests.py $(PYTENSOR_TESTS)

.PHONY: mutants
mutants: $(STAMP)/test-$(PYV) $(STAMP)/venv-$(PYV) ## put small faults into copies of this tree and see which the tests notice: MUTANTS="--area go-gen"
	@"build/test-$(PYV)/bin/python" tools/mutants.py $(MUTANTS)

.PHONY: score
score: $(STAMP)/test-$(PYV) ## how many faults put into right C the lint finds, by kind: SCORE=--missed
	@"build/test-$(PYV)/bin/python" tools/score.py $(SCORE)

.PHONY: sweep
sweep: $(STAMP)/test-$(PYV) ## force every place of every own op that can fail, refuse each request for memory: SWEEP="--quick", "cookbook: kepler"
	@"build/test-$(PYV)/bin/python" tools/sweep.py $(SWEEP)

.PHONY: soak
soak: $(STAMP)/test-$(PYV) ## call every own op for long and see whether its process grows: SOAK="--seconds 60 --calls 10000000", "library: T.sort"
	@"build/test-$(PYV)/bin/python" tools/soak.py $(SOAK)

.PHONY: test-all
test-all: test-go ## all tests, on each CPython from 3.10 to 3.13 that is found
	@tools/pythons | while read -r python; do $(MAKE) --no-print-directory PYTHON="$$python" test-python </dev/null; done

.PHONY: golden
golden: ## rewrite the golden files of the Go tests, what is made of the table of scalar operations, the schema of Program
	@go test ./gen ./gen/cache ./gen/cop ./gen/scalar -update

.PHONY: stubs
stubs: $(STAMP)/venv-$(PYV) ## write the names of the packages' stubs, from the tables in their __init__.py
	@PYTHONPATH=python "build/venv-$(PYV)/bin/python" tools/stubs.py

.PHONY: lint
lint: $(STAMP)/lint-$(PYV) ## check the project's own code: gofmt, go vet, ruff, mypy
	@echo "· gofmt"
	bad=$$(gofmt -l $(filter-out pyext,$(ROOMS)) pyext/*.go)
	[ -z "$$bad" ] || { echo "not formatted: $$bad"; exit 1; }
	echo "· go vet"
	go vet ./...
	echo "· ruff"
	"build/lint-$(PYV)/bin/ruff" check --quiet .
	echo "· mypy"
	"build/lint-$(PYV)/bin/python" -m mypy

.PHONY: bench
bench: $(STAMP)/bench-$(PYV) ## time calls, arrays and builds against NumPy, Numba, numexpr, PyTensor and C by hand: BENCH_ARGS="--quick --rows calls"
	@"build/bench-$(PYV)/bin/python" benchmarks/run.py $(BENCH_ARGS)

.PHONY: bench-check
bench-check: $(STAMP)/bench-$(PYV) ## whether ratios are within generous bounds of what they should be
	@"build/bench-$(PYV)/bin/python" benchmarks/check.py

.PHONY: bench-compare
bench-compare: $(STAMP)/bench-$(PYV) ## time this tree against an earlier one: BASE=<revision>
	@[ -n "$(BASE)" ] || { echo "give the revision to compare with: make bench-compare BASE=HEAD~10"; exit 2; }
	revision=$$(git rev-parse --verify --quiet "$(BASE)^{commit}") || { echo "$(BASE) is no revision of this repository"; exit 2; }
	tree="build/base/$$revision"
	if [ ! -e "$$tree/build/stamp/wheel-$(PYV)" ]; then
		echo "· wheel of $(BASE)"
		rm -rf build/base
		mkdir -p "$$tree"
		git archive "$$revision" | tar -x -C "$$tree"
		env -u MAKEFLAGS -u MAKELEVEL $(MAKE) --no-print-directory -C "$$tree" PYTHON="$(PYTHON)" wheel >/dev/null
	fi
	"$(PYTHON)" -m venv --without-pip "$$tree/env"
	$(call pip,$$tree/env) install "$$tree/$$(cat "$$tree/build/stamp/wheel-$(PYV)")"
	"build/bench-$(PYV)/bin/python" benchmarks/compare.py "$$tree/env/bin/python" $(BENCH_ARGS)

.PHONY: faults
faults: $(STAMP)/test-$(PYV) ## fail one system call at a time in a build and in a hit (needs strace)
	@"build/test-$(PYV)/bin/python" benchmarks/faults.py

.PHONY: docs
docs: $(STAMP)/docs-$(PYV) ## run what the pages show, build the site into build/site, look at every page, in a browser too: DOCS_ARGS=--no-browser
	@echo "· the examples of pages and docstrings"
	"build/docs-$(PYV)/bin/python" -m pytest -q -p no:cacheprovider tests/test_*_docs.py tests/test_tutorial.py \
		tests/test_reference.py tests/test_docstrings.py tests/test_pages.py tests/test_cop_ops.py tests/test_picture.py
	"build/docs-$(PYV)/bin/python" tools/site.py $(DOCS_ARGS)

.PHONY: conda
conda: $(STAMP)/conda-$(PYV) ## build the conda recipe and run its tests: CHANNEL=conda-forge, or a channel made of this machine
	@"build/conda-$(PYV)/bin/python" tools/conda.py --channel "$(CHANNEL)"

.PHONY: wheel
wheel: $(WHEEL) ## build the manylinux wheel into dist/
	@cat $(WHEEL)
	echo "install it:  $(PYTHON) -m pip install $$(cat $(WHEEL))"

.PHONY: engine
engine: $(STAMP)/venv-$(PYV) ## build the engine into python/opweld, to work with PYTHONPATH=python
	@echo "· engine for CPython $(PYV)"
	"$(VENV)/bin/python" setup.py --quiet build_ext --inplace

.PHONY: clean
clean: ## remove what was built
	rm -rf build dist pyext/_gopy python/opweld/_engine*.so python/opweld/_argument*.so python/opweld/_dispatch*.so python/opweld/_threads*.so python/opweld/_ufunc*.so python/opweld/_engine_id.py python/*.egg-info demo-output

# --- what the targets stand on ----------------------------------------------------------------------------------

$(STAMP)/venv-$(PYV): $(PINS) | $(STAMP)
	@$(begin)
	echo "· environment build/venv-$(PYV)"
	"$(PYTHON)" -m venv "$(VENV)"
	"$(VENV)/bin/python" -m pip --quiet install pip==26.3
	"$(VENV)/bin/python" -m pip --quiet install --group build
	touch "$@"
	$(end)

$(STAMP)/lint-$(PYV): $(PINS) $(STAMP)/venv-$(PYV) | $(STAMP)
	@$(begin)
	echo "· environment build/lint-$(PYV)"
	rm -rf "build/lint-$(PYV)"
	"$(PYTHON)" -m venv --without-pip "build/lint-$(PYV)"
	$(call pip,build/lint-$(PYV)) install --group lint
	touch "$@"
	$(end)

$(STAMP)/conda-$(PYV): $(PINS) $(STAMP)/venv-$(PYV) | $(STAMP)
	@$(begin)
	echo "· environment build/conda-$(PYV)"
	rm -rf "build/conda-$(PYV)"
	"$(PYTHON)" -m venv "build/conda-$(PYV)"
	$(call pip,build/conda-$(PYV)) install --group conda
	touch "$@"
	$(end)

# A file that is gone makes no other one newer: the list of sources is a source too.
$(STAMP)/sources: FORCE | $(STAMP)
	@printf '%s\n' $(SOURCES) >"$@.$$$$"
	if cmp -s "$@.$$$$" "$@"; then rm "$@.$$$$"; else mv "$@.$$$$" "$@"; fi

$(STAMP)/wheel-$(PYV): $(SOURCES) $(PINS) $(STAMP)/sources $(STAMP)/venv-$(PYV)
	@$(begin)
	echo "· wheel for CPython $(PYV)"
	echo "  the engine, in Go (the long part: some two minutes the first time, seconds afterwards), the runtime in C,"
	echo "  vector functions for three levels of processors, licences; then auditwheel makes a manylinux wheel of it"
	raw="build/wheel-$(PYV)"
	rm -rf "$$raw"
	mkdir -p "$$raw" dist
	"$(VENV)/bin/python" -m pip --quiet wheel --no-deps --no-build-isolation --wheel-dir "$$raw" .
	PATH="$$PWD/$(VENV)/bin:$$PATH" "$(VENV)/bin/python" -m auditwheel repair --wheel-dir "$$raw/repaired" \
		"$$raw"/*.whl >"$$raw/auditwheel.log" 2>&1 || { cat "$$raw/auditwheel.log"; exit 1; }
	rm -f dist/opweld-*-cp$(subst .,,$(PYV))-*.whl
	mv "$$raw"/repaired/*.whl dist/
	ls dist/opweld-*-cp$(subst .,,$(PYV))-*.whl >"$@"
	$(end)

$(STAMP)/test-$(PYV): $(STAMP)/wheel-$(PYV) $(STAMP)/venv-$(PYV)
	@$(call installed,test,[test])

$(STAMP)/demo-$(PYV): $(STAMP)/wheel-$(PYV) $(STAMP)/venv-$(PYV)
	@$(call installed,demo,[demo])

$(STAMP)/bench-$(PYV): $(STAMP)/wheel-$(PYV) $(STAMP)/venv-$(PYV)
	@$(call installed,bench,[bench])

$(STAMP)/docs-$(PYV): $(STAMP)/wheel-$(PYV) $(STAMP)/venv-$(PYV)
	@$(call installed,docs,[docs$(comma)test])

$(STAMP):
	@mkdir -p $@

.PHONY: FORCE
FORCE:
