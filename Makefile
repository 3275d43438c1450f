# The local path, for Debian: GHC and all libraries come from its packages, and
# nothing from Hackage. "make setup" installs them, as do the other targets that
# need them. Elsewhere use plain cabal: "cabal test all".

SHELL := /bin/bash
export WERROR QUICK COMPILERS

FUZZ ?= 10000
OLD ?= $(error OLD=results.json is missing: the results to compare with)

.NOTPARALLEL:
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*/\1/p' Makefile)

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1              \2/p' Makefile | sed -E 's/^(.{19}) */\1/'
	@echo
	@echo 'WERROR=1 turns warnings into errors. CONTRIBUTING.md lists the scripts, too.'

demo: setup ## encode and decode the package database; ARGS="..."
	@scripts/run-exe ashlar-demo:exe:ashlar-demo $(ARGS)

demo-jobs: ## a job on three workers, one is killed; ARGS=100000 records
	@scripts/setup peers
	@scripts/demo-jobs $(ARGS)

# The examples run even if a suite fails, so that one run shows all failures.
test: ## run the test suites, the examples in the documentation, and the tests of other languages
	@scripts/setup peers
	@scripts/languages build
	@scripts/test-suites 'scripts/languages test' scripts/cookbook scripts/doctests scripts/mistakes

test-rest: ## run the suites that take long
	@scripts/setup rest
	@scripts/test-suites --rest

lint: ## check layers, notes, layout, cabal files and versions; run hlint
	@scripts/setup lint
	@status=0; scripts/lint || status=1; scripts/versions --check || status=1; exit $$status

docs: setup ## write the Haddock pages to dist-newstyle/haddock
	@scripts/docs

site: ## write the site, with all pages and Haddock, to dist-newstyle/site
	@scripts/setup site
	@scripts/site

ci: ## run all that must pass, on all compilers
	@.ci/run

fuzz: setup ## test all instances at length; FUZZ=10m or FUZZ=100000
	@scripts/fuzz $(FUZZ)

mutants: setup ## break the library, show which test notices; MUTANTS=Get
	@scripts/mutants $(MUTANTS)

bench: setup ## compare time with other libraries; BENCH=Tree selects
	@scripts/run-exe ashlar-bench:exe:ashlar-ratios $(BENCH)
	@scripts/run-exe ashlar-bench:exe:ashlar-ratios-o1 $(BENCH)

bench-all: setup ## the same with GHC 9.10 and 9.6, too
	@for suite in forky trixie; do for program in ashlar-ratios ashlar-ratios-o1; do \
	   scripts/in-root --bench $$suite bash -c 'ghc --version && exec scripts/run-exe "$$@"' bash \
	     ashlar-bench:exe:$$program $(BENCH) || exit 1; \
	 done; done
	@$(MAKE) bench

bench-report: setup ## write bench-report/index.html; QUICK=1, COMPILERS=forky
	@scripts/bench-report $(BENCH)

bench-compare: setup ## show what got slower since OLD=results.json
	@scripts/run-exe ashlar-bench:exe:ashlar-report compare '$(OLD)' bench-report/results.json

# With the oldest and the newest GHC, in half an hour, if nothing has been measured.
bench-readme: setup ## write the report's figures into the pages
	@[ -e bench-report/results.json ] || COMPILERS=$${COMPILERS:-forky} scripts/bench-report
	@scripts/run-exe ashlar-bench:exe:ashlar-report readme README.md docs bench-report/results.json

build: setup ## compile everything, including the benchmarks
	@scripts/debian-cabal build all

setup: ## install the missing Debian packages
	@scripts/setup

clean: ## remove what was built
	rm -rf dist-newstyle bench-report js/dist js/build python/build python/.mypy_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf python/*.egg-info python/src/*.egg-info
