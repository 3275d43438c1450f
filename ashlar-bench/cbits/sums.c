/* The sum of n bytes, read as numbers one by one: what a decoder is measured
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

/* The same with numbers of 8 bytes that are doubles. Returns the bits of the sum. */
#define SUM_DOUBLE(name, swap)                                       \
  __attribute__((optimize("no-tree-vectorize", "no-unroll-loops")))  \
  uint64_t ashlar_bench_##name(const uint8_t *p, size_t n) {         \
    double sum = 0;                                                  \
    for (const uint8_t *end = p + n; p != end; p += 8) {             \
      uint64_t bits;                                                 \
      double x;                                                      \
      memcpy(&bits, p, 8);                                           \
      bits = swap(bits);                                             \
      memcpy(&x, &bits, 8);                                          \
      sum += x;                                                      \
    }                                                                \
    uint64_t result;                                                 \
    memcpy(&result, &sum, 8);                                        \
    return result;                                                   \
  }

SUM_DOUBLE(sum_double, )
SUM_DOUBLE(sum_double_swapped, __builtin_bswap64)

/* The sum of n doubles, each that many bytes after the one before. */
__attribute__((optimize("no-tree-vectorize", "no-unroll-loops")))
double ashlar_bench_sum_strided(const uint8_t *p, size_t n, size_t stride) {
  double sum = 0;
  for (; n > 0; n--, p += stride) {
    double x;
    memcpy(&x, p, 8);
    sum += x;
  }
  return sum;
}
