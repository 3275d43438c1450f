# For Debian machines: everything is built with Debian's GHC and the libraries
# of its packages, which "make setup" installs, and nothing is taken from
# Hackage. Where Hackage is at hand, use plain cabal instead of this file:
# "cabal test all", "cabal run ashlar-demo".
#
# WERROR=1 makes warnings of our own packages errors.

SHELL := /bin/bash
export WERROR

# Arguments for the demo and for the benchmarks, as the shell would read them.
ARGS ?=
BENCH ?=

# How long, or how many cases of each property: 10m, 90s, 100000.
FUZZ ?= 10000

.PHONY: help setup build demo test fuzz bench bench-criterion docs lint ci clean
.NOTPARALLEL:

help:
	@echo 'make demo             the demonstration; ARGS="..." are its arguments'
	@echo 'make test             all test suites, the examples in the documentation, the cookbook'
	@echo 'make fuzz             the properties of all instances at length; FUZZ=10m or FUZZ=100000'
	@echo 'make bench            time and space relative to other libraries; BENCH="..." selects'
	@echo 'make bench-criterion  the same workloads in criterion; BENCH="..." are its arguments'
	@echo 'make build            compile everything, the benchmarks included'
	@echo 'make docs             the Haddock pages of the library'
	@echo 'make lint             hlint over all sources'
	@echo 'make ci               all that has to pass, on all compilers (.ci/run)'
	@echo 'make setup            install the Debian packages that are missing (the others do it, too)'
	@echo 'make clean            remove what was built'
	@echo
	@echo 'With WERROR=1, warnings are errors.'

setup:
	@scripts/setup

build: setup
	@scripts/debian-cabal build all

demo: setup
	@scripts/run-exe ashlar-demo:exe:ashlar-demo $(ARGS)

# The examples run even if a suite has failed, so that one run shows it all.
test: setup
	@status=0; scripts/test-suites || status=1; scripts/doctests || status=1; \
	 scripts/cookbook || status=1; exit $$status

fuzz: setup
	@scripts/fuzz $(FUZZ)

bench: setup
	@scripts/run-exe ashlar-bench:exe:ashlar-ratios $(BENCH)
	@scripts/run-exe ashlar-bench:exe:ashlar-ratios-o1 $(BENCH)

bench-criterion: setup
	@scripts/run-exe ashlar-bench:bench:criterion $(BENCH)

docs: setup
	@scripts/docs

lint:
	@scripts/setup lint
	@scripts/lint

ci:
	@.ci/run

clean:
	rm -rf dist-newstyle
