# shellcheck shell=bash disable=SC2034
# What the scripts of this directory share. Sourced, never run.

# The checkout that the running script belongs to.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# A fresh machine has no locale set; GHC, hlint and doctest would then fail on
# the first character that is not ASCII.
export LC_ALL=C.UTF-8

# With WERROR=1 warnings are errors. That goes to a build directory of its own:
# a module that an ordinary build has already compiled, warnings and all, would
# not be compiled again, and its warnings not be seen.
builddir=$top/dist-newstyle
if [ "${WERROR:-}" = 1 ]; then
  builddir=$top/dist-newstyle/werror
fi

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Runs a command as root, by sudo where that is necessary.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "root is needed for '$*', and there is no sudo: run this as root"
  fi
}

# The Debian packages among the arguments that are not installed. Takes
# dpkg-query's options first, then --, then the names.
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

# The one line by which a test suite says how it went; count_tests reads it.
report_tests() {
  printf '== %s: %d passed, %d failed\n' "$1" "$2" "$3"
}

# "PASSED FAILED": the sums over all lines of report_tests in a file.
count_tests() {
  sed -nE 's/^== .*: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$1" |
    awk '{ passed += $1; failed += $2 } END { print passed + 0, failed + 0 }'
}
