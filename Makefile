# opweld: what a person and CI run. Each target sets up what it needs (virtual environments, Python packages, Go modules
# and tools) under build/, and does it once. PYTHON=python3.12 picks the CPython; the default is python3, or the newest
# from 3.10 to 3.13 that is found.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

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
PY_FILES := $(shell find python -name '*.egg-info' -prune -o -type f ! -name _engine_id.py \( -name '*.py' -o -name '*.pyi' -o -name py.typed \) -print)
SOURCES := $(sort $(GO_FILES) $(PY_FILES) go.mod go.sum setup.py LICENSE $(wildcard README.md))

VENV := build/venv-$(PYV)
WHEEL := $(STAMP)/wheel-$(PYV)

# Runs pip for the environment $(1), which has no pip of its own.
pip = "$(VENV)/bin/python" -m pip --quiet --python "$(1)"
# Makes the environment build/$(1)-X.Y anew and installs the built wheel into it with the extra $(2).
define installed
echo "· install the wheel into build/$(1)-$(PYV)"
rm -rf "build/$(1)-$(PYV)"
"$(PYTHON)" -m venv --without-pip "build/$(1)-$(PYV)"
$(call pip,build/$(1)-$(PYV)) install "$$(cat $(WHEEL))$(2)"
touch $@
endef

.PHONY: help
help: ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: $(STAMP)/demo-$(PYV) ## build the wheel, install it into a new environment, run the examples
	@"build/demo-$(PYV)/bin/python" examples/demo.py

.PHONY: test
test: test-go test-python ## all tests, on one CPython

.PHONY: test-go
test-go:
	@echo "· go vet"; go vet ./...
	@echo "· go test"; go test ./...

# Against the installed wheel: python/ is not on the path.
.PHONY: test-python
test-python: $(STAMP)/test-$(PYV)
	@echo "· pytest on CPython $(PYV)"
	@"build/test-$(PYV)/bin/python" -m pytest -q $(PYTEST_ARGS)

.PHONY: test-all
test-all: test-go ## all tests, on each CPython from 3.10 to 3.13 that is found
	@tools/pythons | while read -r python; do $(MAKE) --no-print-directory PYTHON="$$python" test-python </dev/null; done

.PHONY: golden
golden: ## rewrite the golden files of the Go tests
	@go test ./gen/... -update

.PHONY: lint
lint: $(STAMP)/lint-$(PYV) ## check the project's own code: gofmt, go vet, ruff, mypy
	@echo "· gofmt"; bad=$$(gofmt -l $(filter-out pyext,$(ROOMS)) pyext/*.go); [ -z "$$bad" ] || { echo "not formatted: $$bad"; exit 1; }
	@echo "· go vet"; go vet ./...
	@echo "· ruff"; "build/lint-$(PYV)/bin/ruff" check --quiet .
	@echo "· mypy"; "build/lint-$(PYV)/bin/python" -m mypy

.PHONY: bench
bench: $(STAMP)/bench-$(PYV) ## time calls and builds against NumPy, a hand-written module and PyTensor
	@"build/bench-$(PYV)/bin/python" benchmarks/run.py $(BENCH_ARGS)

.PHONY: wheel
wheel: $(WHEEL) ## build the manylinux wheel into dist/
	@cat $(WHEEL)

.PHONY: engine
engine: $(STAMP)/venv-$(PYV) ## build the engine into python/opweld, to work with PYTHONPATH=python
	@echo "· engine for CPython $(PYV)"
	@"$(VENV)/bin/python" setup.py --quiet build_ext --inplace

.PHONY: clean
clean: ## remove what was built
	rm -rf build dist pyext/_gopy python/opweld/_engine*.so python/opweld/_engine_id.py python/*.egg-info demo-output

# --- what the targets stand on ----------------------------------------------------------------------------------

$(STAMP)/venv-$(PYV): $(PINS) | $(STAMP)
	@echo "· environment build/venv-$(PYV)"
	@"$(PYTHON)" -m venv "$(VENV)"
	@"$(VENV)/bin/python" -m pip --quiet install pip==26.3
	@"$(VENV)/bin/python" -m pip --quiet install --group build
	@touch $@

$(STAMP)/lint-$(PYV): $(PINS) $(STAMP)/venv-$(PYV) | $(STAMP)
	@echo "· environment build/lint-$(PYV)"
	@rm -rf "build/lint-$(PYV)"
	@"$(PYTHON)" -m venv --without-pip "build/lint-$(PYV)"
	@$(call pip,build/lint-$(PYV)) install --group lint
	@touch $@

# A file that is gone makes no other one newer: the list of sources is a source too.
$(STAMP)/sources: FORCE | $(STAMP)
	@printf '%s\n' $(SOURCES) >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(STAMP)/wheel-$(PYV): $(SOURCES) $(PINS) $(STAMP)/sources $(STAMP)/venv-$(PYV)
	@echo "· wheel for CPython $(PYV)"
	@rm -rf "build/wheel-$(PYV)"; mkdir -p "build/wheel-$(PYV)" dist
	@"$(VENV)/bin/python" -m pip --quiet wheel --no-deps --no-build-isolation --wheel-dir "build/wheel-$(PYV)" .
	@log="build/wheel-$(PYV)/auditwheel.log"; \
	PATH="$$PWD/$(VENV)/bin:$$PATH" "$(VENV)/bin/python" -m auditwheel repair --wheel-dir "build/wheel-$(PYV)/repaired" \
		build/wheel-$(PYV)/*.whl >"$$log" 2>&1 || { cat "$$log"; exit 1; }
	@rm -f dist/opweld-*-cp$(subst .,,$(PYV))-*.whl
	@mv build/wheel-$(PYV)/repaired/*.whl dist/
	@ls dist/opweld-*-cp$(subst .,,$(PYV))-*.whl >$@

$(STAMP)/test-$(PYV): $(STAMP)/wheel-$(PYV) $(STAMP)/venv-$(PYV)
	@$(call installed,test,[test])

$(STAMP)/demo-$(PYV): $(STAMP)/wheel-$(PYV) $(STAMP)/venv-$(PYV)
	@$(call installed,demo,[demo])

$(STAMP)/bench-$(PYV): $(STAMP)/wheel-$(PYV) $(STAMP)/venv-$(PYV)
	@$(call installed,bench,[bench])

$(STAMP):
	@mkdir -p $@

.PHONY: FORCE
FORCE:
