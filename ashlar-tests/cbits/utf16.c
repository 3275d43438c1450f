/* Tests cbits/utf16.c against a conversion that follows RFC 3629 and RFC 2781, character by
 * character. All memory has its exact size, so that the sanitizers see any access outside of it.
 *
 * Prints the result line of a suite: see report_tests in scripts/lib.sh.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

size_t ashlar_utf16_length(const uint16_t *units, size_t from, size_t n);
size_t ashlar_utf16_to_utf8(uint8_t *to, const uint16_t *units, size_t from, size_t n);
ptrdiff_t ashlar_utf8_to_utf16(uint16_t *to, const uint8_t *bytes, size_t from, size_t n);
ptrdiff_t ashlar_utf16_check(const uint16_t *units, size_t n);
size_t ashlar_utf16_units(const uint8_t *bytes, size_t from, size_t n);

static size_t model_put8(uint8_t *to, uint32_t c) {
  if (c < 0x80) return to[0] = (uint8_t)c, 1;
  size_t tails = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static const uint8_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  for (size_t i = tails; i > 0; i--, c >>= 6) to[i] = (uint8_t)(0x80 | (c & 0x3F));
  to[0] = (uint8_t)(lead[tails] | c);
  return tails + 1;
}

static size_t model_put16(uint16_t *to, uint32_t c) {
  if (c < 0x10000) return to[0] = (uint16_t)c, 1;
  to[0] = (uint16_t)(0xD800 + ((c - 0x10000) >> 10));
  to[1] = (uint16_t)(0xDC00 + ((c - 0x10000) & 0x3FF));
  return 2;
}

/* The character at the start of n bytes, or -1. It is the one whose encoding is found there. */
static long model_get8(const uint8_t *from, size_t n, size_t *size) {
  static const uint8_t bits[] = {0x7F, 0x1F, 0x0F, 0x07};
  for (size_t tails = 0; tails < 4 && tails < n; tails++) {
    uint32_t c = from[0] & bits[tails];
    for (size_t i = 1; i <= tails; i++) c = c << 6 | (from[i] & 0x3F);
    uint8_t again[4];
    if (c <= 0x10FFFF && (c & 0xFFFFF800) != 0xD800 && model_put8(again, c) == tails + 1 &&
        memcmp(again, from, tails + 1) == 0) {
      *size = tails + 1;
      return (long)c;
    }
  }
  return -1;
}

static uint32_t character(uint32_t kind) {
  switch (kind) {
    case 0: return below(0x80);
    case 1: return 0x80 + below(0x780);
    case 2: return 0x800 + below(0xD000);
    case 3: return 0xE000 + below(0x2000);
    default: return 0x10000 + below(0x100000);
  }
}

/* Convert both ways. The units start after `from` other units. */
static void whole(const uint32_t *characters, size_t n, size_t from) {
  uint8_t *bytes = malloc(4 * n + 1);
  uint16_t *units = malloc(2 * (2 * n + from + 1));
  if (bytes == NULL || units == NULL) abort();
  size_t n8 = 0, n16 = 0;
  for (size_t i = 0; i < from; i++) units[i] = 0xDC00;
  for (size_t i = 0; i < n; i++) {
    n8 += model_put8(bytes + n8, characters[i]);
    n16 += model_put16(units + from + n16, characters[i]);
  }
  uint16_t *in = exact(units, 2 * (from + n16));
  uint8_t *out = malloc(n16 > 0 ? 3 * n16 : 1);
  check(ashlar_utf16_length(in, from, n16) == n8, "length", n);
  check(ashlar_utf16_to_utf8(out, in, from, n16) == n8 && memcmp(out, bytes, n8) == 0, "to UTF-8",
        n);
  uint8_t *in8 = exact(bytes, n8);
  uint16_t *out16 = malloc(n8 > 0 ? 2 * n8 : 1);
  check(ashlar_utf8_to_utf16(out16, in8, 0, n8) == (ptrdiff_t)n16 &&
            memcmp(out16, units + from, 2 * n16) == 0,
        "from UTF-8", n);
  check(ashlar_utf16_units(in8, 0, n8) == n16, "units", n);

  /* At an odd address, into memory of exact size. */
  uint8_t *odd = malloc(2 * n16 + 1);
  if (odd == NULL) abort();
  memcpy(odd + 1, units + from, 2 * n16);
  uint8_t *odd_in = exact(odd, 2 * n16 + 1);
  uint8_t *exact8 = malloc(n8 > 0 ? n8 : 1);
  check(ashlar_utf16_check((void *)(odd_in + 1), n16) == (ptrdiff_t)n8, "check", n);
  check(ashlar_utf16_to_utf8(exact8, (void *)(odd_in + 1), 0, n16) == n8 &&
            memcmp(exact8, bytes, n8) == 0,
        "to exact UTF-8", n);
  uint8_t *odd_out = malloc(2 * n8 + 1);
  check(ashlar_utf8_to_utf16((void *)(odd_out + 1), in8, 0, n8) == (ptrdiff_t)n16 &&
            memcmp(odd_out + 1, units + from, 2 * n16) == 0,
        "to odd addresses", n);
  free(odd), free(odd_in), free(exact8), free(odd_out);
  free(bytes), free(units), free(in), free(out), free(in8), free(out16);
}

/* Convert any bytes, well-formed or not. */
static void anything(const uint8_t *bytes, size_t n) {
  uint8_t *in = exact(bytes, n);
  uint16_t *out = malloc(n > 0 ? 2 * n : 1);
  uint16_t *wanted = malloc(2 * n + 4);
  if (wanted == NULL) abort();
  ptrdiff_t units = 0;
  size_t size;
  for (size_t i = 0; i < n; i += size) {
    long c = model_get8(bytes + i, n - i, &size);
    if (c < 0) {
      units = -1;
      break;
    }
    units += (ptrdiff_t)model_put16(wanted + units, (uint32_t)c);
  }
  check(ashlar_utf8_to_utf16(out, in, 0, n) == units &&
            (units < 0 || memcmp(out, wanted, 2 * (size_t)units) == 0),
        "any bytes", n);
  free(in), free(out), free(wanted);
}

/* Convert units that may be no text. No memory outside of them is touched. */
static void any_units(const uint8_t *units_bytes, size_t n) {
  uint16_t *units = exact(units_bytes, 2 * n);
  uint8_t *out = malloc(n > 0 ? 3 * n : 1);
  if (out == NULL) abort();
  check(ashlar_utf16_to_utf8(out, units, 0, n) <= 3 * n, "broken units", n);
  size_t i = 0, length = 0;
  while (i < n) {
    int lead = (units[i] & 0xFC00) == 0xD800;
    int pair = lead && i + 1 < n && (units[i + 1] & 0xFC00) == 0xDC00;
    if ((units[i] & 0xF800) == 0xD800 && !pair) break;
    length += pair ? 4 : units[i] < 0x80 ? 1 : units[i] < 0x800 ? 2 : 3;
    i += pair ? 2 : 1;
  }
  check(ashlar_utf16_check(units, n) == (i < n ? -1 : (ptrdiff_t)length), "check of broken units",
        n);
  free(units), free(out);
}

static void broken(size_t n) {
  uint16_t units[100];
  for (size_t i = 0; i < n; i++)
    units[i] = (uint16_t)(below(3) == 0 ? below(0x80) : 0xD800 + below(0x800));
  any_units((const uint8_t *)units, n);
}

void any_input(const uint8_t *bytes, size_t n) {
  anything(bytes, n);
  any_units(bytes, n / 2);
  /* The characters of the first part, which is well-formed, after as many units as n says. */
  uint32_t *characters = malloc(n > 0 ? 4 * n : 1);
  if (characters == NULL) abort();
  size_t count = 0, size;
  for (size_t i = 0; i < n; i += size) {
    long c = model_get8(bytes + i, n - i, &size);
    if (c < 0) break;
    characters[count++] = (uint32_t)c;
  }
  whole(characters, count, n % 5);
  free(characters);
}

int main(void) {
  uint32_t characters[300];
  uint8_t bytes[128];

  for (size_t n = 0; n <= 80; n++)
    for (size_t at = 0; at <= n; at++)
      for (uint32_t kind = 0; kind < 5; kind++) {
        for (size_t i = 0; i < n; i++) characters[i] = i == at ? character(kind) : below(0x80);
        whole(characters, n, at % 5);
      }
  group_ends("ASCII with one other character, of each kind, at each offset");

  for (uint32_t c = 0, n = 0; c <= 0x10FFFF; c++) {
    if ((c & 0xFFFFF800) == 0xD800) continue;
    characters[n++] = c;
    if (n == 300) whole(characters, n, 1), n = 0;
  }
  group_ends("every character");

  for (int i = 0; i < 20000; i++) {
    size_t n = below(300);
    uint32_t kinds = below(5) + 1, first = below(5);
    for (size_t k = 0; k < n; k++) characters[k] = character((first + below(kinds)) % 5);
    whole(characters, n, below(3));
  }
  group_ends("any characters, of few kinds or of many");

  for (int i = 0; i < 20000; i++) broken(below(i % 2 ? 100 : 8));
  group_ends("units that are no text");

  static const uint8_t border[] = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
                                   0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
                                   0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF};
  const uint32_t borders = sizeof border;
  for (uint32_t i = 0; i < borders * borders * borders * borders; i++) {
    size_t before = i % 19, cut = i % 5, after = i % 11;
    memset(bytes, 'x', sizeof bytes);
    for (uint32_t k = 0, j = i; k < 4; k++, j /= borders) bytes[before + k] = border[j % borders];
    anything(bytes, before + cut + (cut == 4 ? after : 0));
  }
  group_ends("bytes at the edges of what is well-formed, with ASCII before and after");

  for (uint32_t i = 0; i < borders * borders * borders * borders; i++) {
    size_t before = 2 + i % 47, cut = i % 5, after = i % 43;
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "\xC3\xA9", 2);
    for (uint32_t k = 0, j = i; k < 4; k++, j /= borders) bytes[before + k] = border[j % borders];
    anything(bytes, before + cut + (cut == 4 ? after : 0));
  }
  group_ends("the same in longer texts, whose first character is not ASCII");

  return report("UTF-16 in C");
}
