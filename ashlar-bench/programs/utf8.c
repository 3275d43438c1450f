// Characters to standard output in UTF-8, by the C library: 1 million characters, mixed, from String
#define _GNU_SOURCE
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <uchar.h>

int main(int argc, char **argv) {
  static const char32_t cycle[] = {'a', 'b', 'c', 'd', 'e', 'f', 228, 8364, 120120};
  long n = argc > 1 ? atol(argv[1]) : 0;
  char bytes[MB_LEN_MAX];
  mbstate_t state = {0};
  if (!setlocale(LC_ALL, "C.UTF-8")) return 1;
  for (long i = 0; i < n; i++) {
    size_t k = c32rtomb(bytes, cycle[i % 9], &state);
    if (k == (size_t)-1) return 1;
    fwrite_unlocked(bytes, 1, k, stdout);
  }
  return 0;
}
