# The local path, for Debian: GHC and all libraries come from its packages, and
# nothing from Hackage. "make setup" installs them, as do the other targets that
# need them. Elsewhere use plain cabal: "cabal test all".

SHELL := /bin/bash
export WERROR

# Arguments of the demo and the benchmarks, as for a shell.
ARGS ?=
BENCH ?=
QUICK ?=

# Roots of other compilers for the report: forky, bookworm/i386.
COMPILERS ?=

# Seconds for each configuration of the runtime.
SOAK ?= 30

# A time or the number of cases of each property: 10m, 90s, 100000.
FUZZ ?= 10000

# Which mutations: a part of their names or files.
MUTANTS ?=

# An older bench-report/results.json.
OLD ?=

# For each program of make fuzz-c.
SECONDS_EACH ?= 60

.PHONY: help setup build demo demo-jobs test test-rest fuzz fuzz-c checked mutants bench bench-all bench-criterion bench-report bench-compare bench-readme docs lint platforms soak valgrind ci clean
.NOTPARALLEL:

help:
	@echo 'make demo             run the demonstration; ARGS="..." are its arguments'
	@echo 'make demo-jobs        run a job on three workers, and kill one; ARGS=100000 is the number of records'
	@echo 'make test             run the test suites, the examples of the documentation, the cookbook'
	@echo 'make test-rest        run the suites that take long: without optimisation, memory, whole programs'
	@echo 'make fuzz             test all instances at length; FUZZ=10m or FUZZ=100000'
	@echo 'make checked          run the properties with tests of all internal preconditions'
	@echo 'make mutants          break the library on purpose, and show which test notices; MUTANTS=Get selects'
	@echo 'make fuzz-c           fuzz the C code with libFuzzer, SECONDS_EACH=60 for each of eleven programs'
	@echo 'make bench            compare time with other libraries; BENCH="..." selects'
	@echo 'make bench-all        the same with GHC 9.10 and 9.6, too, and their versions of the libraries'
	@echo 'make bench-criterion  run the same workloads in criterion; BENCH="..." are its arguments'
	@echo 'make bench-report     measure all, and write bench-report/index.html; QUICK=1 takes a tenth of half an hour'
	@echo 'make bench-compare    show what got slower than noise allows since OLD=results.json'
	@echo 'make bench-readme     write the figures of README.md and docs/benchmarks.md from the report'
	@echo 'make build            compile everything, including the benchmarks'
	@echo 'make docs             write the Haddock pages to dist-newstyle/haddock'
	@echo 'make lint             check layers, notes, layout and cabal files; run hlint'
	@echo 'make platforms        run the properties on 32-bit x86'
	@echo 'make soak             force lazy values under interruptions and small nurseries; SOAK=30 seconds each'
	@echo 'make valgrind         run some properties under valgrind'
	@echo 'make ci               run all of it, on all compilers (.ci/run)'
	@echo 'make setup            install the missing Debian packages'
	@echo 'make clean            remove what was built'
	@echo
	@echo 'WERROR=1 turns warnings into errors.'

setup:
	@scripts/setup

build: setup
	@scripts/debian-cabal build all

demo: setup
	@scripts/run-exe ashlar-demo:exe:ashlar-demo $(ARGS)

demo-jobs:
	@scripts/setup peers
	@scripts/demo-jobs $(ARGS)

# The examples run even if a suite fails, so that one run shows all failures.
test:
	@scripts/setup peers
	@status=0; scripts/test-suites || status=1; scripts/doctests || status=1; \
	 scripts/cookbook || status=1; exit $$status

test-rest:
	@scripts/setup rest
	@scripts/test-suites --rest

fuzz: setup
	@scripts/fuzz $(FUZZ)

checked:
	@scripts/setup peers
	@scripts/checked

mutants: setup
	@scripts/mutants $(MUTANTS)

fuzz-c:
	@scripts/setup fuzz
	@scripts/fuzz-c $(SECONDS_EACH)

bench: setup
	@scripts/run-exe ashlar-bench:exe:ashlar-ratios $(BENCH)
	@scripts/run-exe ashlar-bench:exe:ashlar-ratios-o1 $(BENCH)

bench-all: setup
	@for suite in forky trixie; do for program in ashlar-ratios ashlar-ratios-o1; do \
	   scripts/in-root --bench $$suite bash -c 'ghc --version && exec scripts/run-exe "$$@"' bash \
	     ashlar-bench:exe:$$program $(BENCH) || exit 1; \
	 done; done
	@$(MAKE) bench

bench-report: setup
	@QUICK='$(QUICK)' COMPILERS='$(COMPILERS)' scripts/bench-report $(BENCH)

bench-compare: setup
	@scripts/bench-compare '$(OLD)'

bench-readme: setup
	@scripts/bench-readme

bench-criterion: setup
	@scripts/run-exe ashlar-bench:bench:criterion $(BENCH)

docs: setup
	@scripts/docs

lint:
	@scripts/setup lint
	@scripts/lint

platforms:
	@scripts/platforms

soak: setup
	@scripts/soak $(SOAK)

valgrind: setup
	@scripts/valgrind

ci:
	@.ci/run

clean:
	rm -rf dist-newstyle
