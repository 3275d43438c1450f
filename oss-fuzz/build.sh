#!/bin/bash
# Builds the fuzzers of this repository, as OSS-Fuzz does: the C code against its models, and every
# decoder and instance, guided by GHC's program coverage.
#
# usage: oss-fuzz/build.sh
#
# OSS-Fuzz sets CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, WORK and OUT. Without them, clang builds
# for libFuzzer and the address sanitizer, in dist-newstyle/oss-fuzz:
#
#   oss-fuzz/build.sh && dist-newstyle/oss-fuzz/out/decoders -max_total_time=60

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"

CC=${CC:-clang}
CXX=${CXX:-clang++}
WORK=${WORK:-$top/dist-newstyle/oss-fuzz}
OUT=${OUT:-$WORK/out}
# These hold several flags each.
read -ra c_flags <<<"${CFLAGS:--O1 -fsanitize=fuzzer-no-link,address}"
read -ra link_flags <<<"${CXXFLAGS:--fsanitize=address} ${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}"

cd "$top"
mkdir -p "$OUT/lib" "$WORK/seeds"

for file in "${tested_c[@]}"; do
  name=$(basename "$file" .c)
  tests=$(tests_of_c "$file")
  for source in "$file" ashlar-tests/cbits/fuzz.c; do
    "$CC" -std=c99 "${c_flags[@]}" "-DSUITE=\"$name.c\"" -Iashlar-tests/cbits "-I$tests" \
      -c "$source" -o "$WORK/$(basename "$source" .c).o"
  done
  "$CXX" "$WORK/$name.o" "$WORK/fuzz.o" "${link_flags[@]}" -o "$OUT/$name"
  zip -jqr "$OUT/${name}_seed_corpus.zip" "$tests/corpus/$name"
done

# GHC links, by this compiler. The libraries that the program needs go with it.
ghc_options="-O0 -fhpc -hpcdir $WORK/mix -pgml $CXX -optl-Wl,-rpath,\$ORIGIN/lib"
for flag in "${link_flags[@]}"; do
  ghc_options+=" -optl$flag"
done
export BUILDDIR=$WORK/ashlar
options=(-O0 --disable-shared '--constraint=ashlar-tests +libfuzzer' "--ghc-options=$ghc_options" ashlar-tests:bench:fuzz)
scripts/debian-cabal build "${options[@]}"
cp "$(scripts/debian-cabal list-bin -v0 "${options[@]}")" "$OUT/decoders"
ldd "$OUT/decoders" | awk '$3 ~ /lib(gmp|ffi|numa|tinfo)/ { print $3 }' | xargs -r cp -t "$OUT/lib"

ASHLAR_SEEDS=$WORK/seeds "$OUT/decoders"
(cd "$WORK/seeds" && zip -qr "$OUT/decoders_seed_corpus.zip" .)
