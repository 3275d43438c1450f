/* Tests cbits/base64.c against a model that goes bit by bit. All memory has its exact size, so that
 * the sanitizers see any access outside of it.
 */
#include "check.h"

void ashlar_base64_encode(uint8_t *to, const uint8_t *from, size_t groups, int url);
size_t ashlar_base64_decode(uint8_t *to, const uint8_t *from, size_t groups, int url);
size_t ashlar_base64_span(const uint8_t *from, size_t n, int url);

/* The character of a number of six bits, and its inverse, or -1: section 4 and 5 of RFC 4648. */
static uint8_t model_character(unsigned unit, int url) {
  if (unit < 26) return (uint8_t)('A' + unit);
  if (unit < 52) return (uint8_t)('a' + unit - 26);
  if (unit < 62) return (uint8_t)('0' + unit - 52);
  return (uint8_t)(unit == 62 ? (url ? '-' : '+') : (url ? '_' : '/'));
}

static int model_unit(uint8_t c, int url) {
  for (unsigned unit = 0; unit < 64; unit++)
    if (model_character(unit, url) == c) return (int)unit;
  return -1;
}

static void model_encode(uint8_t *to, const uint8_t *from, size_t groups, int url) {
  for (size_t i = 0; i < 4 * groups; i++) {
    unsigned unit = 0;
    for (size_t bit = 6 * i; bit < 6 * i + 6; bit++)
      unit = unit << 1 | (from[bit / 8] >> (7 - bit % 8) & 1);
    to[i] = model_character(unit, url);
  }
}

/* Both ways. */
static void whole(const uint8_t *bytes, size_t groups, int url) {
  uint8_t *in = exact(bytes, 3 * groups), *out = exact(bytes, 3 * groups);
  uint8_t *wanted = malloc(4 * groups + 1);
  uint8_t *characters = malloc(groups > 0 ? 4 * groups : 1);
  if (wanted == NULL || characters == NULL) abort();
  model_encode(wanted, bytes, groups, url);
  ashlar_base64_encode(characters, in, groups, url);
  check(memcmp(characters, wanted, 4 * groups) == 0, "encode", groups);
  memset(out, 0, 3 * groups);
  check(ashlar_base64_decode(out, characters, groups, url) == groups &&
            memcmp(out, bytes, 3 * groups) == 0,
        "decode", groups);
  check(ashlar_base64_span(characters, 4 * groups, url) == 4 * groups, "span", groups);
  free(in), free(out), free(wanted), free(characters);
}

/* The first character outside of the alphabet is at an index, if that is not the length. */
static void first_bad(const uint8_t *characters, size_t groups, int url) {
  uint8_t *in = exact(characters, 4 * groups);
  uint8_t *out = malloc(groups > 0 ? 3 * groups : 1);
  uint8_t *again = malloc(4 * groups + 1);
  if (again == NULL || out == NULL) abort();
  size_t bad = 0;
  while (bad < 4 * groups && model_unit(characters[bad], url) >= 0) bad++;
  size_t good = ashlar_base64_decode(out, in, groups, url);
  check(good == bad / 4, "groups before the first that is bad", bad);
  model_encode(again, out, good, url);
  check(memcmp(again, characters, 4 * good) == 0, "what comes before is decoded", bad);
  for (size_t n = 4 * groups + 1; n-- > 0 && n + 40 > 4 * groups;) {
    uint8_t *part = exact(characters, n);
    check(ashlar_base64_span(part, n, url) == (bad < n ? bad : n), "span", n);
    free(part);
  }
  free(in), free(out), free(again);
}

void any_input(const uint8_t *bytes, size_t n) {
  for (int url = 0; url < 2; url++) {
    whole(bytes, n / 3, url);
    first_bad(bytes, n / 4, url);
  }
}

int main(void) {
  uint8_t bytes[1200], characters[1600];

  for (int url = 0; url < 2; url++)
    for (size_t groups = 0; groups <= 100; groups++)
      for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < 3 * groups; i++)
          bytes[i] = (uint8_t)(round == 0 ? 0xFF : round == 1 ? 0xFB : below(256));
        whole(bytes, groups, url);
      }
  group_ends("any bytes, both ways");

  for (int url = 0; url < 2; url++)
    for (unsigned i = 0; i < 4096; i++) {
      for (unsigned k = 0; k < 48; k++) {
        unsigned two = (i + 64 * k + k) % 4096;
        bytes[3 * k] = (uint8_t)(two >> 4);
        bytes[3 * k + 1] = (uint8_t)(two << 4 | (~two >> 8 & 15));
        bytes[3 * k + 2] = (uint8_t)~two;
      }
      whole(bytes, 48, url);
    }
  group_ends("every pair of characters");

  for (int url = 0; url < 2; url++)
    for (size_t groups = 1; groups <= 40; groups++)
      for (size_t at = 0; at < 4 * groups; at++)
        for (int round = 0; round < 3; round++) {
          for (size_t i = 0; i < 4 * groups; i++) characters[i] = model_character(below(64), url);
          characters[at] = (uint8_t)below(256);
          if (round == 2) characters[below((uint32_t)(4 * groups))] = (uint8_t)below(256);
          first_bad(characters, groups, url);
        }
  group_ends("a character outside of the alphabet, at each index");

  for (int url = 0; url < 2; url++)
    for (unsigned c = 0; c < 256; c++)
      for (size_t at = 0; at < 64; at++) {
        for (size_t i = 0; i < 64; i++) characters[i] = model_character((unsigned)i, url);
        characters[at] = (uint8_t)c;
        first_bad(characters, 16, url);
      }
  group_ends("each character at each index");

  return report("Base64 in C");
}
