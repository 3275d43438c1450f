/* The sum of so many bytes, read as numbers one by one: what a decoder is measured
   against. Not vectorised, as no decoder is. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SUM(name, type, swap)                                        \
  __attribute__((optimize("no-tree-vectorize", "no-unroll-loops")))  \
  uint64_t ashlar_bench_##name(const uint8_t *p, size_t n) {         \
    type sum = 0;                                                    \
    for (const uint8_t *end = p + n; p != end; p += sizeof(type)) {  \
      type x;                                                        \
      memcpy(&x, p, sizeof x);                                       \
      sum += swap(x);                                                \
    }                                                                \
    return sum;                                                      \
  }

SUM(sum8, uint8_t, )
SUM(sum16, uint16_t, )
SUM(sum32, uint32_t, )
SUM(sum64, uint64_t, )
SUM(sum16s, uint16_t, __builtin_bswap16)
SUM(sum32s, uint32_t, __builtin_bswap32)
SUM(sum64s, uint64_t, __builtin_bswap64)
