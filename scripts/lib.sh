# shellcheck shell=bash disable=SC2034
# Shared by the scripts. Sourced, never run.

# The checkout of the running script.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Without a locale, GHC, hlint and doctest fail on the first character that is not
# ASCII.
export LC_ALL=C.UTF-8

# The packages that users install: all whose modules begin with "Ashlar". A root has some of them.
libraries=("$top"/*/src/Ashlar)
libraries=("${libraries[@]#"$top"/}")
libraries=("${libraries[@]%/src/Ashlar}")

# The parts of the library that are built apart. These may use its internal modules.
core=(ashlar ashlar-compat ashlar-text)

# core_folders GHC-VERSION FOLDER...: the options of ghc for their sources, without cabal, from the
# folders for this compiler, and from others: src-c or src-pure, say.
core_folders() {
  local package folder folders=(src src-unchecked src-linux)
  folders+=("$(dpkg --compare-versions "$1" ge 9.6 && printf src-prompt || printf src-freeze)")
  folders+=("$(dpkg --compare-versions "$1" ge 9.2 && printf src-no-option || printf src-option)")
  shift
  for package in "${core[@]}"; do
    for folder in "${folders[@]}" "$@"; do
      [ ! -d "$top/$package/$folder" ] || printf -- '-i%s\n' "$top/$package/$folder"
    done
  done
}

# The C code of the core, and all that has tests in C alone.
core_c=("$top"/ashlar/cbits/*.c "$top"/ashlar-text/cbits/*.c)
tested_c=("${core_c[@]}" "$top/ashlar-file/cbits/crc32c.c")

# The folder with the tests of one of these.
tests_of_c() { dirname "$(find "$top"/ashlar-{tests/cbits,file/tests/c} -name "${1##*/}")"; }

# WERROR=1 turns warnings into errors, in a build directory of its own. In the
# ordinary one, modules that are already compiled would show no warnings. BUILDDIR is
# for builds with other flags.
builddir=$top/dist-newstyle
if [ -n "${BUILDDIR:-}" ]; then
  builddir=$BUILDDIR
elif [ "${WERROR:-}" = 1 ]; then
  builddir=$top/dist-newstyle/werror
fi

# CHECKED=1 builds with the flag "checked", in another directory: see scripts/platforms.
if [ "${CHECKED:-}" = 1 ]; then
  builddir=$builddir/checked
fi

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Runs a command as root, by sudo if necessary.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "'$*' needs root, and there is no sudo: run this as root"
  fi
}

# missing_packages OPTION... -- NAME...: the packages that are not installed. The
# options are those of dpkg-query.
missing_packages() {
  local options=() name state
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  for name; do
    state=$(dpkg-query "${options[@]}" -W -f '${db:Status-Status}' "$name" 2>/dev/null) || state=
    [ "$state" = installed ] || printf '%s\n' "$name"
  done
}

# run_suites SUITE... [-- OPTION...]: build suites with the options of cabal that the array "options" has, and run
# each in the folder of its package, with these options.
run_suites() {
  local suite program status=0 suites=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    suites+=("$1")
    shift
  done
  "$top/scripts/debian-cabal" build "${options[@]}" "${suites[@]}" || return
  for suite in "${suites[@]}"; do
    program=$("$top/scripts/debian-cabal" list-bin -v0 "${options[@]}" "$suite")
    printf '\n-- %s\n' "$suite"
    (cd "$top/${suite%%:*}" && "$program" --hide-successes "${@:2}" </dev/null) | some_tests || status=1
  done
  return "$status"
}

# Passes on what a suite prints. Fails if it has run no test: a pattern selected none.
some_tests() {
  awk '{ print; fflush() } /All 0 tests passed/ { none = 1 } END { exit none }'
}

# report_tests SUITE PASSED FAILED: the line that count_tests reads.
report_tests() {
  printf '== %s: %d passed, %d failed\n' "$1" "$2" "$3"
}

# count_tests FILE: "PASSED FAILED", summed over the lines of report_tests.
count_tests() {
  sed -nE 's/^== .*: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$1" |
    awk '{ passed += $1; failed += $2 } END { print passed + 0, failed + 0 }'
}
