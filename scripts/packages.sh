# shellcheck shell=bash disable=SC2034
# The Debian packages for each purpose. Sourced, never run.
#
# The libraries that ship with GHC (binary, bytestring, containers, text, ...) have no packages.

# haskell NAME...: the packages of Haskell libraries.
haskell() { printf 'libghc-%s-dev\n' "$@"; }

# The library and its tests, on every compiler. mount is for the test of a full disk, strace for system calls
# that fail.
mapfile -t core_packages < <(haskell base64-bytestring cereal inspection-testing mmap primitive quickcheck2 \
  tasty tasty-hunit tasty-quickcheck temporary vector)
core_packages+=(ghc cabal-install mount strace)

# The libraries that we are compared with, and those that we are used with.
mapfile -t bench_packages < <(haskell aeson attoparsec binary-conduit blaze-builder blaze-html conduit criterion \
  http-client http-types network scientific store streaming-commons utf8-string uuid-types wai warp zlib)
# perl for scripts/compile-times.
bench_packages+=(g++ perl)

# make demo, make test and make bench.
mapfile -t base_packages < <(haskell async data-default-class fast-logger hashable hedis optparse-applicative pipes \
  postgresql-libpq tls unordered-containers x509-store)
base_packages+=("${core_packages[@]}" "${bench_packages[@]}" doctest)

# make test: the peers of the packages for connections. The tests start servers of their own.
peers_packages=(curl nginx openssl postgresql python3 redis-server)

# make test: the libraries for Python and TypeScript, what checks their types, a browser, and Avro.
peers_packages+=(chromium mypy node-typescript nodejs python3-avro python3-pandas)

# scripts/faults-jobs.
faults_packages=(iproute2 redis-server util-linux)

# make test-rest: it opens the benchmarks' report.
rest_packages=(chromium)

# make lint. scripts/versions looks for the newest release by git.
lint_packages=(git hlint ormolu)

# scripts/sanitize fuzz and oss-fuzz/build.sh.
fuzz_packages=(clang libclang-rt-dev zip)

# scripts/load.
load_packages=(nginx wrk)

# scripts/in-root. mmdebstrap finds the keys of other releases by gpg, and asks arch-test if the
# machine runs another architecture.
root_packages=(arch-test debian-archive-keyring gpg mmdebstrap mount util-linux)

# scripts/platforms, for machines that are emulated.
emulation_packages=(binfmt-support qemu-user-static)

# scripts/site.
site_packages=(jq pandoc python3)

# scripts/site --check, without --quick. Node from elsewhere brings its own npm.
check_packages=(chromium chromium-driver default-jre-headless python3-selenium)
command -v npm >/dev/null || check_packages+=(npm)

# scripts/ported. The package hspec-discover has a program.
mapfile -t ported_packages < <(haskell filelock generic-data hedgehog hspec hunit lens lens-action network-bsd old-time \
  only quickcheck-instances test-framework test-framework-hunit test-framework-quickcheck2 text-short th-expand-syns)
ported_packages+=(hspec-discover)

# .ci/run.
ci_packages=(make "${peers_packages[@]}" "${rest_packages[@]}" "${lint_packages[@]}" "${root_packages[@]}"
  "${site_packages[@]}")
