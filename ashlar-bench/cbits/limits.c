/* What bounds the time of every library: an empty call, a plain loop, zlib itself. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

void ashlar_bench_nothing(void) {}

/* The numbers below n, one by one. */
__attribute__((optimize("no-tree-vectorize", "no-unroll-loops")))
void ashlar_bench_fill(uint8_t *p, size_t n) {
  for (uint64_t i = 0; i < n; i++, p += 8) memcpy(p, &i, 8);
}

/* Compress n bytes with a call for each chunk. The format is 15 for zlib, 31 for gzip. Returns the
   length of the result. */
size_t ashlar_bench_deflate(int format, const uint8_t *p, size_t n, size_t chunk) {
  static uint8_t out[32768];
  z_stream s;
  size_t total = 0;
  int state = Z_OK;
  memset(&s, 0, sizeof s);
  if (deflateInit2(&s, Z_DEFAULT_COMPRESSION, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  while (state != Z_STREAM_END) {
    size_t k = n < chunk ? n : chunk;
    s.next_in = (uint8_t *)p;
    s.avail_in = k;
    p += k;
    n -= k;
    do {
      s.next_out = out;
      s.avail_out = sizeof out;
      state = deflate(&s, n == 0 ? Z_FINISH : Z_NO_FLUSH);
      total += sizeof out - s.avail_out;
    } while (s.avail_out == 0);
  }
  deflateEnd(&s);
  return total;
}
