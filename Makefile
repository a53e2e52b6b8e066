# Everything starts here; each target brings what it needs, the virtual environment included.

# The version that the demo drives: the small one to fetch.
DEMO_CODEX ?= 0.99.0

INSTALLED := .venv/installed

.PHONY: help setup codex check test demo

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile
	@echo "PYTHON=/path/to/python3 chooses the Python that .venv is made with."

setup: $(INSTALLED)  ## make .venv, with the project and its tools in it
	@echo "Ready: .venv/bin/wiretape"

$(INSTALLED): pyproject.toml constraints.txt
	@scripts/setup
	@touch $@

codex:  ## fetch the real Codex versions that the tests drive
	@scripts/fetch-codex

check: $(INSTALLED)  ## format, lint, types and fast tests: before each commit
	@scripts/check

test: $(INSTALLED)  ## everything, the real Codex included where npm can fetch it
	@scripts/fetch-codex >/dev/null || echo "test: going on without the real Codex" >&2
	@scripts/check all

demo: $(INSTALLED)  ## record a real Codex run and replay it offline
	@scripts/fetch-codex $(DEMO_CODEX) >/dev/null || echo "demo: going on without the real Codex" >&2
	@.venv/bin/python demo/run.py
