/* Tests cbits/hex.c against printf and a model. All memory has its exact size, so that the
 * sanitizers see any access outside of it.
 */
#include "check.h"

void ashlar_hex_encode(uint8_t *to, const uint8_t *from, size_t n);
size_t ashlar_hex_decode(uint8_t *to, const uint8_t *from, size_t n);
size_t ashlar_hex_span(const uint8_t *from, size_t n);

static int model_value(uint8_t c) {
  const char *all = "0123456789abcdefABCDEF";
  const char *found = c == 0 ? NULL : strchr(all, c);
  return found == NULL ? -1 : (int)(found - all < 16 ? found - all : found - all - 6);
}

static void whole(const uint8_t *bytes, size_t n) {
  uint8_t *in = exact(bytes, n), *out = exact(bytes, n);
  uint8_t *to = malloc(n > 0 ? 2 * n : 1);
  char wanted[1024];
  if (to == NULL) abort();
  for (size_t i = 0; i < n; i++) sprintf(wanted + 2 * i, "%02x", (unsigned)bytes[i]);
  ashlar_hex_encode(to, in, n);
  check(memcmp(to, wanted, 2 * n) == 0, "encode", n);
  for (size_t i = 0; i < 2 * n; i++)
    if (to[i] >= 'a' && below(2) == 0) to[i] = (uint8_t)(to[i] - 32);
  memset(out, 0, n);
  check(ashlar_hex_decode(out, to, n) == 2 * n && memcmp(out, bytes, n) == 0, "decode", n);
  free(in), free(out), free(to);
}

static void first_bad(const uint8_t *characters, size_t n) {
  uint8_t *in = exact(characters, 2 * n), *out = malloc(n > 0 ? n : 1);
  if (out == NULL) abort();
  size_t bad = 0;
  while (bad < 2 * n && model_value(characters[bad]) >= 0) bad++;
  check(ashlar_hex_decode(out, in, n) == bad, "digits before what is none", bad);
  for (size_t i = 0; i < bad / 2; i++)
    check(out[i] == 16 * model_value(characters[2 * i]) + model_value(characters[2 * i + 1]),
          "what comes before is decoded", i);
  for (size_t m = 2 * n + 1; m-- > 0 && m + 40 > 2 * n;) {
    uint8_t *part = exact(characters, m);
    check(ashlar_hex_span(part, m) == (bad < m ? bad : m), "span", m);
    free(part);
  }
  free(in), free(out);
}

void any_input(const uint8_t *bytes, size_t n) {
  whole(bytes, n < 500 ? n : 500);
  first_bad(bytes, n / 2);
}

int main(void) {
  uint8_t bytes[512], characters[512];

  for (size_t n = 0; n <= 100; n++)
    for (int round = 0; round < 50; round++) {
      for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)below(256);
      whole(bytes, n);
    }
  for (size_t i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
  whole(bytes, 256);
  group_ends("any bytes, both ways");

  for (size_t n = 1; n <= 50; n++)
    for (size_t at = 0; at < 2 * n; at++)
      for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < 2 * n; i++)
          characters[i] = (uint8_t)"0123456789abcdefABCDEF"[below(22)];
        characters[at] = (uint8_t)below(256);
        first_bad(characters, n);
      }
  for (unsigned c = 0; c < 256; c++)
    for (size_t at = 0; at < 64; at++) {
      memset(characters, '7', 64);
      characters[at] = (uint8_t)c;
      first_bad(characters, 32);
    }
  group_ends("a character that is no digit, at each index");

  return report("Hexadecimal in C");
}
