# shellcheck shell=bash disable=SC2034
# The Debian packages for each purpose. Sourced, never run.
#
# The libraries that ship with GHC (binary, bytestring, containers, text, ...) have
# no packages.

# The library and its tests, on every compiler.
core_packages=(
  ghc
  cabal-install
  libghc-base64-bytestring-dev
  libghc-cereal-dev
  libghc-inspection-testing-dev
  libghc-primitive-dev
  libghc-quickcheck2-dev
  libghc-tasty-dev
  libghc-tasty-hunit-dev
  libghc-tasty-quickcheck-dev
  libghc-temporary-dev
  libghc-vector-dev
  # For the test of a full disk.
  mount
)

# The libraries that we are compared with, and those that we are used with.
bench_packages=(
  g++
  libghc-aeson-dev
  libghc-attoparsec-dev
  libghc-binary-conduit-dev
  libghc-blaze-builder-dev
  libghc-blaze-html-dev
  libghc-conduit-dev
  libghc-criterion-dev
  libghc-http-client-dev
  libghc-http-types-dev
  libghc-network-dev
  libghc-scientific-dev
  libghc-store-dev
  libghc-streaming-commons-dev
  libghc-utf8-string-dev
  libghc-uuid-types-dev
  libghc-wai-dev
  libghc-warp-dev
  libghc-zlib-dev
)

# make demo, make test and make bench.
base_packages=(
  "${core_packages[@]}"
  "${bench_packages[@]}"
  doctest
  libghc-async-dev
  libghc-data-default-class-dev
  libghc-fast-logger-dev
  libghc-hashable-dev
  libghc-hedis-dev
  libghc-optparse-applicative-dev
  libghc-pipes-dev
  libghc-postgresql-libpq-dev
  libghc-tls-dev
  libghc-unordered-containers-dev
  libghc-x509-store-dev
)

# make test: the peers of the packages for connections. The tests start servers of their own.
peer_packages=(curl nginx openssl postgresql redis-server)

# make test-rest: it opens the benchmarks' report.
rest_packages=(chromium)

# make lint.
lint_packages=(hlint ormolu)

# scripts/fuzz-c.
fuzz_packages=(clang libclang-rt-dev)

# scripts/in-root. mmdebstrap finds the keys of other releases by gpg, and asks arch-test if the
# machine runs another architecture.
root_packages=(arch-test debian-archive-keyring gpg mmdebstrap mount util-linux)

# scripts/platforms, for machines that are emulated.
emulation_packages=(binfmt-support qemu-user-static)

# .ci/run.
ci_packages=(make "${peer_packages[@]}" "${rest_packages[@]}" "${lint_packages[@]}" "${root_packages[@]}")
