// Doubles as text by the C++ standard library, for comparison with ours.
#include <charconv>
#include <cstddef>
#include <cstdint>

// Write the shortest text of each, and a space after it. 32 bytes must be writable for each.
extern "C" size_t ashlar_bench_to_chars(char *to, const double *from, size_t n) {
  char *p = to;
  for (size_t i = 0; i < n; i++) {
    p = std::to_chars(p, p + 31, from[i]).ptr;
    *p++ = ' ';
  }
  return p - to;
}

// The sum of n numbers, with a byte after each.
extern "C" double ashlar_bench_from_chars(const char *from, size_t size, size_t n) {
  const char *p = from, *end = from + size;
  double sum = 0;
  for (size_t i = 0; i < n && p < end; i++) {
    double x = 0;
    p = std::from_chars(p, end, x).ptr + 1;
    sum += x;
  }
  return sum;
}

// Write whole numbers in this base, and a space after each. 32 bytes must be writable for each.
extern "C" size_t ashlar_bench_ints_to_chars(char *to, const int64_t *from, size_t n, int base) {
  char *p = to;
  for (size_t i = 0; i < n; i++) {
    p = std::to_chars(p, p + 31, from[i], base).ptr;
    *p++ = ' ';
  }
  return p - to;
}

// The sum of n whole numbers, with a byte after each.
extern "C" int64_t ashlar_bench_ints_from_chars(const char *from, size_t size, size_t n, int base) {
  const char *p = from, *end = from + size;
  uint64_t sum = 0;
  for (size_t i = 0; i < n && p < end; i++) {
    int64_t x = 0;
    p = std::from_chars(p, end, x, base).ptr + 1;
    sum += x;
  }
  return sum;
}
