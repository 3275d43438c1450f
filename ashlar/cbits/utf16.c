/* Conversion between UTF-16, which text has in memory before version 2, and UTF-8 (RFC 3629).
 * Units are in the byte order of the machine, at any address.
 *
 * Most text is ASCII, so blocks of it are moved at once. A block is converted as if it were
 * ASCII, and only the units before its first other character count. From there on, characters
 * are converted one by one until several ASCII characters follow. Trying a block after every
 * single character was slower: the next address waits for the result, which shows in Russian.
 *
 * On x86-64 a block is an SSE2 register, which all these machines have. Elsewhere it is a short
 * loop that the C compiler optimises. From the first character on that is not ASCII, blocks of any
 * characters are converted with SSE4.2, which is looked for at run time.
 *
 * ASHLAR_BASELINE leaves out what is looked for at run time, for tests.
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

#if defined(__x86_64__) && defined(__SSE2__) && defined(__GNUC__) && !defined(ASHLAR_BASELINE)
#define USE_SSE4
#include <cpuid.h>
#include <nmmintrin.h>
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

static inline int is_lead(unit u) { return (u & 0xFC00) == 0xD800; }
static inline int is_trail(unit u) { return (u & 0xFC00) == 0xDC00; }

/* The number of bytes that n units take in UTF-8. A surrogate that is not in a pair takes three:
   *alone is the number of these. The n units must be readable. */
static size_t utf8_length(const unit *s, size_t n, size_t *alone) {
  const unit *end = s + n;
  size_t saved = 0, singles = 0;
  int after_lead = 0;
  while (s < end) {
    size_t block = end - s < 64 ? (size_t)(end - s) : 64;
    uint16_t all = 0;
    for (size_t i = 0; i < block; i++) all |= s[i];
    saved += all < 0x80 ? 2 * block : bytes_saved(s, block);
    if (all >= 0xD800 || after_lead) {
      /* A lead is before each trail, and before nothing else. */
      uint16_t count = after_lead != is_trail(s[0]);
      for (size_t i = 1; i < block; i++)
        count = (uint16_t)(count + (is_lead(s[i - 1]) != is_trail(s[i])));
      singles += count;
      after_lead = is_lead(s[block - 1]);
    }
    s += block;
  }
  *alone = singles + (size_t)after_lead;
  return 3 * n - saved + *alone;
}

/* The number of bytes that n units take in UTF-8, starting at units[from]. A surrogate that is not
   in a pair takes three. The n units must be readable. */
size_t ashlar_utf16_length(const unit *units, size_t from, size_t n) {
  size_t alone;
  return utf8_length(units + from, n, &alone);
}

/* The number of bytes that n units take in UTF-8, or -1 if a surrogate is not in a pair. The n
   units must be readable. */
ptrdiff_t ashlar_utf16_check(const unit *units, size_t n) {
  size_t alone, length = utf8_length(units, n, &alone);
  return alone ? -1 : (ptrdiff_t)length;
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

#ifdef USE_SSE4

/* Has this machine SSE4.2 and POPCNT? The answer never changes, so any thread may store it. */
static int has_sse4(void) {
  static int known = 0; /* 1: no, 2: yes */
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer == 0) {
    unsigned a, b, c = 0, d;
    __get_cpuid(1, &a, &b, &c, &d);
    answer = (c & bit_SSE4_2) && (c & bit_POPCNT) ? 2 : 1;
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer == 2;
}

#define SSE4 __attribute__((target("sse4.2,popcnt")))

/* For each set of 8 bytes, their numbers one after the other, and then zeros. */
#define HAS(set, i) ((uint64_t)((set) >> (i)&1))
#define BELOW_2(set) (HAS(set, 0) + HAS(set, 1))
#define BELOW_4(set) (BELOW_2(set) + HAS(set, 2) + HAS(set, 3))
#define BELOW_6(set) (BELOW_4(set) + HAS(set, 4) + HAS(set, 5))
#define NUMBERS(set)                                                            \
  (HAS(set, 1) << 8 * HAS(set, 0) | HAS(set, 2) * 2 << 8 * BELOW_2(set) |       \
   HAS(set, 3) * 3 << 8 * (BELOW_2(set) + HAS(set, 2)) |                        \
   HAS(set, 4) * 4 << 8 * BELOW_4(set) |                                        \
   HAS(set, 5) * 5 << 8 * (BELOW_4(set) + HAS(set, 4)) |                        \
   HAS(set, 6) * 6 << 8 * BELOW_6(set) |                                        \
   HAS(set, 7) * 7 << 8 * (BELOW_6(set) + HAS(set, 6)))
#define NUMBERS_4(set) NUMBERS(set), NUMBERS(set + 1), NUMBERS(set + 2), NUMBERS(set + 3)
#define NUMBERS_16(set) \
  NUMBERS_4(set), NUMBERS_4(set + 4), NUMBERS_4(set + 8), NUMBERS_4(set + 12)
#define NUMBERS_64(set) \
  NUMBERS_16(set), NUMBERS_16(set + 16), NUMBERS_16(set + 32), NUMBERS_16(set + 48)

static const uint64_t numbers[256] = {NUMBERS_64(0), NUMBERS_64(64), NUMBERS_64(128),
                                      NUMBERS_64(192)};

/* Write the low 8 bytes that are in a set, and return their number. 8 bytes must be writable. */
SSE4 static inline size_t put_bytes(uint8_t *to, __m128i bytes, unsigned set) {
  __m128i order = _mm_loadl_epi64((const __m128i *)&numbers[set]);
  _mm_storel_epi64((__m128i *)to, _mm_shuffle_epi8(bytes, order));
  return (size_t)__builtin_popcount(set);
}

/* Write the units that are in a set of 8, and return their number. 8 units must be writable. */
SSE4 static inline size_t put_units(unit *to, __m128i units, unsigned set) {
  __m128i order = _mm_loadl_epi64((const __m128i *)&numbers[set]);
  /* Unit i has the bytes 2i and 2i + 1. */
  order = _mm_unpacklo_epi8(order, order);
  order = _mm_add_epi8(_mm_add_epi8(order, order), _mm_set1_epi16(0x0100));
  _mm_storeu_si128((__m128i *)to, _mm_shuffle_epi8(units, order));
  return (size_t)__builtin_popcount(set);
}

/* What may be wrong with two bytes that follow each other. By the high and the low half of the
   first and by the high half of the second: it is wrong if all three say so. The last bit says that
   both are tails, which is right only at the third and fourth byte of a character.

   John Keiser, Daniel Lemire, "Validating UTF-8 in less than one instruction per byte", 2020. */
enum {
  TAIL_MISSING = 1 << 0,
  TAIL_ALONE = 1 << 1,
  OVERLONG_3 = 1 << 2,
  TOO_LARGE = 1 << 3,
  SURROGATE = 1 << 4,
  OVERLONG_2 = 1 << 5,
  OVERLONG_4 = 1 << 6, /* or above 0xF4, whose second byte is below 0x90 */
  TWO_TAILS = 1 << 7,
  ANY_LOW = TAIL_MISSING | TAIL_ALONE | TWO_TAILS
};

SSE4 static inline __m128i wrong_pairs(__m128i first, __m128i second) {
  const char any = (char)ANY_LOW, large = TOO_LARGE, tails = (char)TWO_TAILS;
  __m128i half = _mm_set1_epi8(0x0F);
  __m128i by_high = _mm_setr_epi8(
      TAIL_ALONE, TAIL_ALONE, TAIL_ALONE, TAIL_ALONE, TAIL_ALONE, TAIL_ALONE, TAIL_ALONE,
      TAIL_ALONE, tails, tails, tails, tails, TAIL_MISSING | OVERLONG_2, TAIL_MISSING,
      TAIL_MISSING | OVERLONG_3 | SURROGATE, TAIL_MISSING | TOO_LARGE | OVERLONG_4);
  const char beyond = (char)(any | large | OVERLONG_4);
  __m128i by_low = _mm_setr_epi8((char)(any | OVERLONG_2 | OVERLONG_3 | OVERLONG_4),
                                 (char)(any | OVERLONG_2), any, any, (char)(any | large), beyond,
                                 beyond, beyond, beyond, beyond, beyond, beyond, beyond,
                                 (char)(beyond | SURROGATE), beyond, beyond);
  const char tail = (char)(TAIL_ALONE | TWO_TAILS | OVERLONG_2), none = TAIL_MISSING;
  __m128i by_second =
      _mm_setr_epi8(none, none, none, none, none, none, none, none,
                    (char)(tail | OVERLONG_3 | OVERLONG_4), (char)(tail | OVERLONG_3 | large),
                    (char)(tail | SURROGATE | large), (char)(tail | SURROGATE | large), none, none,
                    none, none);
  __m128i high = _mm_and_si128(_mm_srli_epi16(first, 4), half);
  __m128i low = _mm_and_si128(first, half);
  __m128i next = _mm_and_si128(_mm_srli_epi16(second, 4), half);
  return _mm_and_si128(
      _mm_and_si128(_mm_shuffle_epi8(by_high, high), _mm_shuffle_epi8(by_low, low)),
      _mm_shuffle_epi8(by_second, next));
}

/* Bytes that are at least this. Their highest bit says so, the others say nothing. */
SSE4 static inline __m128i at_least(__m128i bytes, int least) {
  return _mm_subs_epu8(bytes, _mm_set1_epi8((char)(least - 0x80)));
}

#endif

/* Are the next 4 units ASCII? They must be readable. */
static inline int ascii4(const unit *s) {
  uint64_t word;
  memcpy(&word, s, 8);
  return (word & 0xFF80FF80FF80FF80) == 0;
}

/* What ashlar_utf16_to_utf8 does from s on, where d is next to be written. */
static size_t narrow_rest(uint8_t *to, uint8_t *d, const unit *s, const unit *end) {
  if (s < end && *s >= 0x80) goto others;
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
      } else if ((c & 0xFC00) != 0xD800 || s == end || !is_trail(*s)) {
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

#ifdef USE_SSE4

/* Convert blocks of 8 units while 16 are left, and then the rest, which begins at the first block
   that has a surrogate without its pair. The last block does not cut a surrogate pair.

   A store of 8 bytes may reach beyond the bytes of its units, but not beyond those of the units
   that are left, which are one for each at least.

   Each half of a surrogate pair makes two bytes: the lead makes them from itself, and the other
   takes two bits of the unit before it. */
SSE4 static size_t narrow_sse4(uint8_t *to, uint8_t *d, const unit *from, const unit *end) {
  const unit *s = from;
  const __m128i zero = _mm_setzero_si128(), six = _mm_set1_epi16(0x3F);
  const __m128i tail = _mm_set1_epi16(0x80);
  const __m128i fc00 = _mm_set1_epi16((short)0xFC00), d800 = _mm_set1_epi16((short)0xD800);
  __m128i before = zero;
  for (; end - s >= 16; s += 8) {
    __m128i u = _mm_loadu_si128((const __m128i *)s);
    __m128i is1 = _mm_cmpeq_epi16(_mm_srli_epi16(u, 7), zero);
    if (_mm_movemask_epi8(is1) == 0xFFFF) {
      _mm_storel_epi64((__m128i *)d, _mm_packus_epi16(u, u));
      d += 8, before = u;
      continue;
    }
    /* Three bytes make a character of three: the first, the second, the last. One of two lacks the
       first, ASCII the second, too. */
    __m128i rest = _mm_srli_epi16(u, 6);
    __m128i last = _mm_blendv_epi8(_mm_or_si128(_mm_and_si128(u, six), tail), u, is1);
    __m128i no_first = _mm_cmpeq_epi16(_mm_srli_epi16(u, 11), zero);
    if (_mm_movemask_epi8(no_first) == 0xFFFF) {
      __m128i second = _mm_or_si128(rest, _mm_set1_epi16(0xC0));
      __m128i two = _mm_or_si128(second, _mm_slli_epi16(last, 8));
      unsigned set = 0xFFFF ^ (unsigned)_mm_movemask_epi8(_mm_srli_epi16(is1, 8));
      d += put_bytes(d, two, set & 0xFF);
      d += put_bytes(d, _mm_unpackhi_epi64(two, two), set >> 8);
      before = u;
      continue;
    }
    __m128i second = _mm_or_si128(_mm_and_si128(rest, six), tail);
    second = _mm_or_si128(second, _mm_and_si128(no_first, _mm_set1_epi16(0x40)));
    __m128i kind = _mm_and_si128(u, fc00);
    __m128i lead = _mm_cmpeq_epi16(kind, d800);
    __m128i other = _mm_cmpeq_epi16(kind, _mm_set1_epi16((short)0xDC00));
    __m128i half = _mm_or_si128(lead, other);
    if (!_mm_testz_si128(half, half)) {
      __m128i kind_before = _mm_alignr_epi8(kind, _mm_and_si128(before, fc00), 14);
      __m128i after_lead = _mm_cmpeq_epi16(kind_before, d800);
      /* At least 8 units are left after the block. */
      if (_mm_movemask_epi8(_mm_xor_si128(after_lead, other)) || (is_lead(s[7]) && !is_trail(s[8])))
        break;
      /* All bits but the last ten of the character. */
      __m128i bits = _mm_add_epi16(_mm_and_si128(u, _mm_set1_epi16(0x3FF)), _mm_set1_epi16(0x40));
      __m128i first4 = _mm_or_si128(_mm_srli_epi16(bits, 8), _mm_set1_epi16(0xF0));
      __m128i second4 = _mm_or_si128(_mm_and_si128(_mm_srli_epi16(bits, 2), six), tail);
      __m128i two = _mm_and_si128(_mm_alignr_epi8(u, before, 14), _mm_set1_epi16(0x03));
      __m128i third4 = _mm_or_si128(_mm_and_si128(rest, _mm_set1_epi16(0x0F)),
                                    _mm_or_si128(_mm_slli_epi16(two, 4), tail));
      second = _mm_blendv_epi8(_mm_blendv_epi8(second, first4, lead), third4, other);
      last = _mm_blendv_epi8(last, second4, lead);
      no_first = _mm_or_si128(no_first, half);
    }
    __m128i first = _mm_or_si128(_mm_srli_epi16(u, 12), _mm_set1_epi16(0xE0));
    __m128i start = _mm_or_si128(first, _mm_slli_epi16(second, 8));
    /* Four bytes for each unit, of which the fourth is none. */
    __m128i low = _mm_unpacklo_epi16(start, last), high = _mm_unpackhi_epi16(start, last);
    before = u;
    if (_mm_testz_si128(no_first, no_first)) {
      const __m128i three = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
      _mm_storeu_si128((__m128i *)d, _mm_shuffle_epi8(low, three));
      _mm_storeu_si128((__m128i *)(d + 12), _mm_shuffle_epi8(high, three));
      d += 24;
      continue;
    }
    __m128i none = _mm_or_si128(_mm_srli_epi16(no_first, 8), _mm_slli_epi16(is1, 8));
    const __m128i fourth = _mm_set1_epi16((short)0xFF00);
    unsigned set = 0xFFFF ^ (unsigned)_mm_movemask_epi8(_mm_unpacklo_epi16(none, fourth));
    d += put_bytes(d, low, set & 0xFF);
    d += put_bytes(d, _mm_unpackhi_epi64(low, low), set >> 8);
    set = 0xFFFF ^ (unsigned)_mm_movemask_epi8(_mm_unpackhi_epi16(none, fourth));
    d += put_bytes(d, high, set & 0xFF);
    d += put_bytes(d, _mm_unpackhi_epi64(high, high), set >> 8);
  }
  if (s > from && is_lead(s[-1])) s -= 1, d -= 2;
  return narrow_rest(to, d, s, end);
}

#endif

/* Write n units in UTF-8, starting at units[from], and return the number of bytes. 3n bytes must
   be writable. Those after the result may be overwritten. A surrogate that is not in a pair is
   written as three bytes, which are not UTF-8: ashlar_utf16_length counts as many.

   If ashlar_utf16_check has accepted the units, the bytes that it returned are enough: a block is
   written only if as many units are left, and each takes a byte at least. */
size_t ashlar_utf16_to_utf8(uint8_t *to, const unit *units, size_t from, size_t n) {
  const unit *s = units + from, *end = s + n;
  uint8_t *d = to;
  if (narrow_short(d, s, n)) return n;
  /* Three bytes are writable for each unit that is left, so a block fits. */
  while (end - s >= 16) {
    size_t good = narrow16(d, s);
    s += good, d += good;
    if (good < 16) break;
  }
#ifdef USE_SSE4
  if (end - s >= 16 && has_sse4()) return narrow_sse4(to, d, s, end);
#endif
  return narrow_rest(to, d, s, end);
}

/* Are the next 8 bytes ASCII? They must be readable. */
static inline int ascii8(const uint8_t *s) {
  uint64_t word;
  memcpy(&word, s, 8);
  return (word & 0x8080808080808080) == 0;
}

static inline int is_tail(uint8_t b) { return (b & 0xC0) == 0x80; }

/* What ashlar_utf8_to_utf16 does from s on, where d is next to be written. */
static ptrdiff_t widen_rest(unit *to, unit *d, const uint8_t *s, const uint8_t *end) {
  if (s < end && *s >= 0x80) goto others;
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

#ifdef USE_SSE4

/* Convert blocks of 16 bytes, from the start of a character on, while more than 16 are left, and
   then the rest. The last block does not cut a character. Returns what ashlar_utf8_to_utf16 does.

   Each byte at which a character ends makes its unit from itself and the two bytes before it. The
   third byte of four makes a lead surrogate, and the fourth makes the other. So no block depends on
   where the characters of the block before it ended, and the processor converts several at the
   same time. */
SSE4 static ptrdiff_t widen_sse4(unit *to, unit *d, const uint8_t *from, const uint8_t *end) {
  const uint8_t *s = from;
  __m128i zero = _mm_setzero_si128(), before = zero, wrong = zero;
  for (; end - s > 16; s += 16) {
    __m128i b0 = _mm_loadu_si128((const __m128i *)s);
    /* The bytes one, two and three before each. */
    __m128i b1 = _mm_alignr_epi8(b0, before, 15);
    if (_mm_movemask_epi8(_mm_or_si128(b0, b1)) == 0) {
      _mm_storeu_si128((__m128i *)d, _mm_unpacklo_epi8(b0, zero));
      _mm_storeu_si128((__m128i *)(d + 8), _mm_unpackhi_epi8(b0, zero));
      d += 16, before = b0;
      continue;
    }
    __m128i b2 = _mm_alignr_epi8(b0, before, 14), b3 = _mm_alignr_epi8(b0, before, 13);
    __m128i third = at_least(b2, 0xE0), fourth = at_least(b3, 0xF0);
    __m128i tails = _mm_and_si128(_mm_or_si128(third, fourth), _mm_set1_epi8((char)0x80));
    wrong = _mm_or_si128(wrong, _mm_xor_si128(wrong_pairs(b1, b0), tails));

    /* The low and the high half of each unit. An ASCII byte is the low half. */
    __m128i low = _mm_or_si128(
        _mm_and_si128(_mm_slli_epi16(b1, 6), _mm_set1_epi8((char)0xC0)),
        _mm_and_si128(b0, _mm_set1_epi8(0x3F)));
    __m128i high = _mm_and_si128(_mm_srli_epi16(b1, 2), _mm_set1_epi8(0x0F));
    __m128i top = _mm_and_si128(_mm_slli_epi16(b2, 4), _mm_set1_epi8((char)0xF0));
    high = _mm_or_si128(high, _mm_blendv_epi8(zero, top, third));
    /* A character ends before any byte but a tail, which is below -64 as a signed number. */
    __m128i next = _mm_loadu_si128((const __m128i *)(s + 1));
    unsigned ends = 0xFFFF ^ (unsigned)_mm_movemask_epi8(
                                 _mm_cmplt_epi8(next, _mm_set1_epi8((char)0xC0)));

    __m128i lead = at_least(b2, 0xF0);
    if (_mm_movemask_epi8(_mm_or_si128(lead, fourth)) != 0) {
      /* 0xDC00 and the last ten bits of the character. */
      __m128i two = _mm_and_si128(_mm_srli_epi16(b1, 2), _mm_set1_epi8(0x03));
      high = _mm_blendv_epi8(high, _mm_or_si128(two, _mm_set1_epi8((char)0xDC)), fourth);
      /* 0xD7C0 and the bits before those, added. */
      __m128i bits = _mm_or_si128(
          _mm_and_si128(_mm_slli_epi16(b1, 2), _mm_set1_epi8((char)0xFC)),
          _mm_and_si128(_mm_srli_epi16(b0, 4), _mm_set1_epi8(0x03)));
      __m128i sum = _mm_add_epi8(bits, _mm_set1_epi8((char)0xC0));
      __m128i carry = _mm_cmpeq_epi8(_mm_max_epu8(bits, _mm_set1_epi8(0x40)), bits);
      __m128i above = _mm_add_epi8(_mm_and_si128(b2, _mm_set1_epi8(0x07)),
                                   _mm_set1_epi8((char)0xD7));
      low = _mm_blendv_epi8(low, sum, lead);
      high = _mm_blendv_epi8(high, _mm_sub_epi8(above, carry), lead);
      ends |= (unsigned)_mm_movemask_epi8(lead);
    }
    low = _mm_blendv_epi8(b0, low, b0), high = _mm_blendv_epi8(zero, high, b0);
    d += put_units(d, _mm_unpacklo_epi8(low, high), ends & 0xFF);
    d += put_units(d, _mm_unpackhi_epi8(low, high), ends >> 8);
    before = b0;
  }
  if (!_mm_testz_si128(wrong, wrong)) return -1;
  if (s > from) {
    int cut = s[-1] >= 0xC0 ? 1 : s[-2] >= 0xE0 ? 2 : s[-3] >= 0xF0 ? 3 : 0;
    /* If another character follows, the last byte has made a unit. */
    if (cut > 0 && !is_tail(s[0])) return -1;
    /* The third byte of four has. */
    s -= cut, d -= cut == 3;
  }
  return widen_rest(to, d, s, end);
}

#endif

/* Convert n bytes of UTF-8, starting at bytes[from], to units, and return their number, or -1 if
   any character is malformed. n units must be writable. Those after the result may be
   overwritten. */
ptrdiff_t ashlar_utf8_to_utf16(unit *to, const uint8_t *bytes, size_t from, size_t n) {
  const uint8_t *s = bytes + from, *end = s + n;
  unit *d = to;
  if (widen_short(d, s, n)) return (ptrdiff_t)n;
  /* No character has more units than bytes, so a unit is writable for each byte that is left. */
  while (end - s >= 16) {
    size_t good = widen16(d, s);
    s += good, d += good;
    if (good < 16) break;
  }
#ifdef USE_SSE4
  /* Few bytes are faster one by one, as most of them are ASCII. */
  if (end - s > 32 && has_sse4()) return widen_sse4(to, d, s, end);
#endif
  return widen_rest(to, d, s, end);
}
