/* Conversion between UTF-16, which text has in memory before version 2, and UTF-8 (RFC 3629).
 * Units are in the byte order of the machine, at any address.
 *
 * Most text is ASCII, so blocks of it are moved at once. A block is converted as if it were
 * ASCII, and only the units before its first other character count. From there on, characters
 * are converted one by one until several ASCII characters follow. Trying a block after every
 * single character was slower: the next address waits for the result, which shows in Russian.
 *
 * On x86-64 a block is an SSE2 register, which all these machines have. Elsewhere it is a short
 * loop that the C compiler optimises.
 */

/* At -O2, gcc vectorises none of the counting loops. cabal chooses the level for C, and Hackage
 * frowns on a package that does, so it stands here. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A unit at any address: in a buffer it follows other bytes. */
#ifdef __GNUC__
typedef uint16_t __attribute__((aligned(1), may_alias)) unit;
#else
typedef uint16_t unit;
#endif

#ifdef __SSE2__
#include <emmintrin.h>

/* The number of leading ASCII units among n units. Bits 2i and 2i + 1 of the mask say whether
   unit i is ASCII. */
static inline size_t ascii_units(unsigned mask, size_t n) {
  unsigned others = ~mask & ((1u << (2 * n)) - 1);
  return others == 0 ? n : (size_t)__builtin_ctz(others) / 2;
}

/* The number of leading ASCII bytes among n bytes. Bit i of the mask says that byte i is not
   ASCII. */
static inline size_t ascii_bytes(unsigned others, size_t n) {
  return others == 0 ? n : (size_t)__builtin_ctz(others);
}

/* Bits 2i and 2i + 1 say whether unit i of 8 is ASCII. */
static inline unsigned ascii_mask(__m128i units) {
  __m128i high = _mm_and_si128(units, _mm_set1_epi16((short)0xFF80));
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi16(high, _mm_setzero_si128()));
}

/* These functions read n units and write n bytes, or the reverse. They return the number of
   leading ASCII units or bytes. */

static inline size_t narrow16(uint8_t *to, const unit *from) {
  __m128i low = _mm_loadu_si128((const __m128i *)from);
  __m128i high = _mm_loadu_si128((const __m128i *)(from + 8));
  _mm_storeu_si128((__m128i *)to, _mm_packus_epi16(low, high));
  /* One test suffices if all are ASCII. */
  if (ascii_mask(_mm_or_si128(low, high)) == 0xFFFF) return 16;
  size_t good = ascii_units(ascii_mask(low), 8);
  return good < 8 ? good : 8 + ascii_units(ascii_mask(high), 8);
}

static inline size_t narrow8(uint8_t *to, const unit *from) {
  __m128i units = _mm_loadu_si128((const __m128i *)from);
  _mm_storel_epi64((__m128i *)to, _mm_packus_epi16(units, units));
  return ascii_units(ascii_mask(units), 8);
}

static inline size_t narrow4(uint8_t *to, const unit *from) {
  __m128i units = _mm_loadl_epi64((const __m128i *)from);
  int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(units, units));
  memcpy(to, &bytes, 4);
  return ascii_units(ascii_mask(units), 4);
}

static inline size_t widen16(unit *to, const uint8_t *from) {
  __m128i bytes = _mm_loadu_si128((const __m128i *)from);
  _mm_storeu_si128((__m128i *)to, _mm_unpacklo_epi8(bytes, _mm_setzero_si128()));
  _mm_storeu_si128((__m128i *)(to + 8), _mm_unpackhi_epi8(bytes, _mm_setzero_si128()));
  return ascii_bytes((unsigned)_mm_movemask_epi8(bytes), 16);
}

static inline size_t widen8(unit *to, const uint8_t *from) {
  __m128i bytes = _mm_loadl_epi64((const __m128i *)from);
  _mm_storeu_si128((__m128i *)to, _mm_unpacklo_epi8(bytes, _mm_setzero_si128()));
  return ascii_bytes((unsigned)_mm_movemask_epi8(bytes), 8);
}

static inline size_t widen4(unit *to, const uint8_t *from) {
  int word;
  memcpy(&word, from, 4);
  __m128i bytes = _mm_cvtsi32_si128(word);
  _mm_storel_epi64((__m128i *)to, _mm_unpacklo_epi8(bytes, _mm_setzero_si128()));
  return ascii_bytes((unsigned)_mm_movemask_epi8(bytes), 4);
}

#else

#define CONVERT(name, count, to_type, from_type)                       \
  static inline size_t name(to_type *to, const from_type *from) {      \
    unsigned all = 0;                                                  \
    for (size_t i = 0; i < count; i++) {                               \
      to[i] = (to_type)from[i];                                        \
      all |= from[i];                                                  \
    }                                                                  \
    if (all < 0x80) return count;                                      \
    size_t good = 0;                                                   \
    while (good < count && from[good] < 0x80) good++;                  \
    return good;                                                       \
  }

CONVERT(narrow16, 16, uint8_t, unit)
CONVERT(narrow8, 8, uint8_t, unit)
CONVERT(narrow4, 4, uint8_t, unit)
CONVERT(widen16, 16, unit, uint8_t)
CONVERT(widen8, 8, unit, uint8_t)
CONVERT(widen4, 4, unit, uint8_t)

#endif

/* How many bytes n units take less than three each, for n <= 64. An ASCII unit saves two, and any
   other unit below 0x800 saves one. A unit of a surrogate pair saves one, as it takes two of the
   pair's four bytes. The sum has 16 bits like the units, so that the compiler counts several at
   once. */
static inline size_t bytes_saved(const unit *s, size_t n) {
  uint16_t count = 0;
  for (size_t i = 0; i < n; i++)
    count = (uint16_t)(count + (s[i] < 0x80) + (s[i] < 0x800) + ((s[i] & 0xF800) == 0xD800));
  return count;
}

/* The number of bytes that n units take in UTF-8, starting at units[from]. The n units must be
   readable. */
size_t ashlar_utf16_length(const unit *units, size_t from, size_t n) {
  const unit *s = units + from, *end = s + n;
  size_t saved = 0;
  for (; end - s >= 64; s += 64) {
    uint16_t all = 0;
    for (size_t i = 0; i < 64; i++) all |= s[i];
    saved += all < 0x80 ? 128 : bytes_saved(s, 64);
  }
  return 3 * n - saved - bytes_saved(s, (size_t)(end - s));
}

/* The number of units of surrogate pairs, paired or not, among n <= 64. */
static inline size_t surrogates(const unit *s, size_t n) {
  uint16_t count = 0;
  for (size_t i = 0; i < n; i++) count = (uint16_t)(count + ((s[i] & 0xF800) == 0xD800));
  return count;
}

/* The number of bytes that n units take in UTF-8, or -1 if a surrogate is not in a pair. The n
   units must be readable. */
ptrdiff_t ashlar_utf16_check(const unit *units, size_t n) {
  const unit *s = units, *end = s + n;
  size_t length = 0;
  while (s < end) {
    size_t block = end - s < 64 ? (size_t)(end - s) : 64;
    length += 3 * block - bytes_saved(s, block);
    if (surrogates(s, block) > 0) {
      size_t i = 0;
      while (i < block) {
        if ((s[i] & 0xF800) != 0xD800) {
          i++;
        } else if ((s[i] & 0xFC00) == 0xD800 && end - s > (ptrdiff_t)i + 1 &&
                   (s[i + 1] & 0xFC00) == 0xDC00) {
          i += 2;
        } else {
          return -1;
        }
      }
      /* The last pair ends in the next block. */
      if (i > block) length += 2, s++;
    }
    s += block;
  }
  return (ptrdiff_t)length;
}

/* The number of units that n bytes of UTF-8 have in UTF-16, starting at bytes[from]. */
size_t ashlar_utf16_units(const uint8_t *bytes, size_t from, size_t n) {
  const uint8_t *s = bytes + from;
  size_t units = 0;
  while (n > 0) {
    /* The sum has 8 bits like the bytes: at most 2 for each. */
    size_t block = n < 64 ? n : 64;
    uint8_t count = 0;
    for (size_t i = 0; i < block; i++)
      count = (uint8_t)(count + ((s[i] & 0xC0) != 0x80) + (s[i] >= 0xF0));
    units += count, s += block, n -= block;
  }
  return units;
}

/* Convert a block of n from s to d, and advance both past its leading ASCII. */
#define MOVE_BLOCK(convert, n)   \
  {                              \
    size_t good = convert(d, s); \
    s += good, d += good;        \
    if (good < n) goto others;   \
  }

/* Convert n units or bytes with two blocks, which may overlap. Returns 0 if n is not from 4 to 32,
   or not all are ASCII. Then n are converted anew. Most texts are that short, and their lengths
   differ: where a loop over blocks, halves of blocks and the rest ends, the processor does not
   foresee. */
#define CONVERT_SHORT(name, to_type, from_type, convert16, convert8, convert4)        \
  static inline int name(to_type *to, const from_type *from, size_t n) {              \
    if (n < 4 || n > 32) return 0;                                                    \
    if (n >= 16)                                                                      \
      return convert16(to, from) == 16 && convert16(to + n - 16, from + n - 16) == 16; \
    if (n >= 8) return convert8(to, from) == 8 && convert8(to + n - 8, from + n - 8) == 8; \
    return convert4(to, from) == 4 && convert4(to + n - 4, from + n - 4) == 4;        \
  }

CONVERT_SHORT(narrow_short, uint8_t, unit, narrow16, narrow8, narrow4)
CONVERT_SHORT(widen_short, unit, uint8_t, widen16, widen8, widen4)

/* Are the next 4 units ASCII? They must be readable. */
static inline int ascii4(const unit *s) {
  uint64_t word;
  memcpy(&word, s, 8);
  return (word & 0xFF80FF80FF80FF80) == 0;
}

/* Write n units in UTF-8, starting at units[from], and return the number of bytes. 3n bytes must
   be writable. Those after the result may be overwritten. Surrogates must be in pairs that are not
   cut. If they are not, the output is not UTF-8, but still no unit outside of the n is read and
   no more than 3n bytes are written.

   If ashlar_utf16_check has accepted the units, the bytes that it returned are enough: a block is
   written only if as many units are left, and each takes a byte at least. */
size_t ashlar_utf16_to_utf8(uint8_t *to, const unit *units, size_t from, size_t n) {
  const unit *s = units + from, *end = s + n;
  uint8_t *d = to;
  if (narrow_short(d, s, n)) return n;
  for (;;) {
    /* Three bytes are writable for each unit that is left, so a block fits. */
    while (end - s >= 16) MOVE_BLOCK(narrow16, 16)
    if (end - s >= 8) MOVE_BLOCK(narrow8, 8)
    if (end - s >= 4) MOVE_BLOCK(narrow4, 4)
    while (s < end && *s < 0x80) *d++ = (uint8_t)*s++;
    if (s == end) return (size_t)(d - to);
  others:
    do {
      uint32_t c = *s++;
      if (c < 0x80) {
        *d++ = (uint8_t)c;
        if (end - s >= 4 && ascii4(s)) break;
      } else if (c < 0x800) {
        d[0] = (uint8_t)(0xC0 | c >> 6);
        d[1] = (uint8_t)(0x80 | (c & 0x3F));
        d += 2;
      } else if ((c & 0xFC00) != 0xD800 || s == end) {
        d[0] = (uint8_t)(0xE0 | c >> 12);
        d[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
        d[2] = (uint8_t)(0x80 | (c & 0x3F));
        d += 3;
      } else {
        c = 0x10000 + ((c & 0x3FF) << 10) + (*s++ & 0x3FF);
        d[0] = (uint8_t)(0xF0 | c >> 18);
        d[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
        d[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
        d[3] = (uint8_t)(0x80 | (c & 0x3F));
        d += 4;
      }
    } while (s < end);
  }
}

/* Are the next 8 bytes ASCII? They must be readable. */
static inline int ascii8(const uint8_t *s) {
  uint64_t word;
  memcpy(&word, s, 8);
  return (word & 0x8080808080808080) == 0;
}

static inline int is_tail(uint8_t b) { return (b & 0xC0) == 0x80; }

/* Convert n bytes of UTF-8, starting at bytes[from], to units, and return their number, or -1 if
   any character is malformed. n units must be writable. Those after the result may be
   overwritten. */
ptrdiff_t ashlar_utf8_to_utf16(unit *to, const uint8_t *bytes, size_t from, size_t n) {
  const uint8_t *s = bytes + from, *end = s + n;
  unit *d = to;
  if (widen_short(d, s, n)) return (ptrdiff_t)n;
  for (;;) {
    /* No character has more units than bytes, so a unit is writable for each byte that is left. */
    while (end - s >= 16) MOVE_BLOCK(widen16, 16)
    if (end - s >= 8) MOVE_BLOCK(widen8, 8)
    if (end - s >= 4) MOVE_BLOCK(widen4, 4)
    while (s < end && *s < 0x80) *d++ = *s++;
    if (s == end) return d - to;
  others:
    do {
      uint32_t c = s[0];
      if (c < 0x80) {
        *d++ = (uint16_t)c;
        s++;
        if (end - s >= 8 && ascii8(s)) break;
      } else if (c < 0xE0) {
        /* Below 0xC2 it is a tail byte, or starts an overlong form. */
        if (c < 0xC2 || end - s < 2 || !is_tail(s[1])) return -1;
        *d++ = (uint16_t)((c & 0x1F) << 6 | (s[1] & 0x3F));
        s += 2;
      } else if (c < 0xF0) {
        if (end - s < 3 || !is_tail(s[1]) || !is_tail(s[2])) return -1;
        c = (c & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
        if (c < 0x800 || (c & 0xF800) == 0xD800) return -1;
        *d++ = (uint16_t)c;
        s += 3;
      } else {
        if (c > 0xF4 || end - s < 4) return -1;
        if (!is_tail(s[1]) || !is_tail(s[2]) || !is_tail(s[3])) return -1;
        c = (c & 0x07) << 18 | (uint32_t)(s[1] & 0x3F) << 12 | (uint32_t)(s[2] & 0x3F) << 6 |
            (s[3] & 0x3F);
        if (c < 0x10000 || c > 0x10FFFF) return -1;
        *d++ = (uint16_t)(0xD800 + ((c - 0x10000) >> 10));
        *d++ = (uint16_t)(0xDC00 + (c & 0x3FF));
        s += 4;
      }
    } while (s < end);
  }
}
