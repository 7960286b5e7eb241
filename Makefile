# Everything that a contributor types. `make` alone lists it; CONTRIBUTING.md says when to use which.
# A bare machine needs git, make and Python 3.11 or later: uv is put in .uv, and uv fills .venv from uv.lock.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
JOBS ?= 2
UV_VERSION := 0.13.8

UV := .uv/bin/uv
UV_READY := .uv/uv-$(UV_VERSION)
READY := .venv/.ready
RUN := .venv/bin

# The tools may not fetch a Python, a node or a newer version of themselves behind our back.
export UV_PYTHON_DOWNLOADS := never
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export NO_MKDOCS_2_WARNING := 1

.PHONY: help demo test lint format docs figures bench audit clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | while IFS=$$'\t' read -r name what; do printf '  make %-8s %s\n' "$$name" "$$what"; done

demo: $(READY) ## answer a few questions on generated data, exact beside private
	@$(RUN)/discreet demo

test: lint ## lint, types, docs and every test: what must be green before a change is merged
	$(RUN)/python -m pytest -n $(JOBS)

lint: $(READY) ## ruff (rules and format) and pyright in strict mode
	$(RUN)/ruff check
	$(RUN)/ruff format --check
	$(RUN)/pyright

format: $(READY) ## let ruff rewrite what it can
	$(RUN)/ruff check --fix
	$(RUN)/ruff format

docs: $(READY) ## build the documentation into site/
	$(RUN)/mkdocs build --strict

figures: $(READY) ## draw the pictures of docs/mechanisms.md anew
	@$(RUN)/python -m bench.figures

bench: $(READY) ## the measurements that the documentation quotes
	$(RUN)/python -m bench

audit: $(READY) ## attack this very installation and bound epsilon from below
	$(RUN)/python -m discreet.audit

clean: ## remove everything that make made
	rm -rf .uv .venv .pytest_cache .ruff_cache .hypothesis site dist demo

$(UV_READY): .ci/get-uv
	.ci/get-uv $(PYTHON) $(UV_VERSION)
	@touch $@

$(READY): $(UV_READY) pyproject.toml uv.lock
	$(UV) sync --locked --all-extras --python .uv/bin/python
	@touch $@
