/* Hexadecimal digits of bytes, and bytes from digits.
 *
 * With SSE2 or NEON, 16 bytes are converted at once. Elsewhere these are loops over tables.
 */

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__SSE2__) && !defined(ASHLAR_BASELINE)
#define USE_SSE2
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(ASHLAR_BASELINE)
#define USE_NEON
#include <arm_neon.h>
#endif

static const char digits[17] = "0123456789abcdef";

/* The value of each digit, or 16 if it is none. */
static inline unsigned value_of(uint8_t c) {
  static const uint8_t values[55] = {
      0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  16, 16, 16, 16, 16, 16, 16, 10, 11,
      12, 13, 14, 15, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
      16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 10, 11, 12, 13, 14, 15};
  unsigned i = c - 48u;
  return i < 55 ? values[i] : 16;
}

#ifdef USE_SSE2

static inline __m128i digits_of(__m128i values) {
  __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(values, _mm_set1_epi8(9)), _mm_set1_epi8(39));
  return _mm_add_epi8(_mm_add_epi8(values, _mm_set1_epi8('0')), letter);
}

/* Which characters are among the n from the first on? They are compared as signed numbers, and the
   first becomes the least of these. */
static inline __m128i in_range(__m128i c, char first, char n) {
  __m128i moved = _mm_add_epi8(c, _mm_set1_epi8((char)(-128 - first)));
  return _mm_cmpgt_epi8(_mm_set1_epi8((char)(n - 128)), moved);
}

/* The values of 16 digits, two in each 16 bits. Bit i of 'others' says that character i is none. */
static inline __m128i pairs_of(const uint8_t *from, unsigned *others) {
  __m128i c = _mm_loadu_si128((const __m128i *)from);
  __m128i small = _mm_or_si128(c, _mm_set1_epi8(0x20));
  __m128i digit = in_range(c, '0', 10), letter = in_range(small, 'a', 6);
  *others = 0xFFFF & ~(unsigned)_mm_movemask_epi8(_mm_or_si128(digit, letter));
  /* The low half of a letter is 9 less than its value. */
  __m128i values = _mm_add_epi8(_mm_and_si128(c, _mm_set1_epi8(15)),
                                _mm_and_si128(letter, _mm_set1_epi8(9)));
  __m128i low = _mm_srli_epi16(values, 8);
  return _mm_and_si128(_mm_or_si128(_mm_slli_epi16(values, 4), low), _mm_set1_epi16(0x00FF));
}

#endif

#ifdef USE_NEON

/* The values of 16 digits, or 255 for what is none. */
static inline uint8x16_t values_of(uint8x16_t c) {
  uint8x16_t digit = vsubq_u8(c, vdupq_n_u8('0'));
  uint8x16_t letter = vsubq_u8(vorrq_u8(c, vdupq_n_u8(0x20)), vdupq_n_u8('a'));
  uint8x16_t others = vdupq_n_u8(255);
  uint8x16_t small = vbslq_u8(vcltq_u8(letter, vdupq_n_u8(6)),
                              vaddq_u8(letter, vdupq_n_u8(10)), others);
  return vbslq_u8(vcltq_u8(digit, vdupq_n_u8(10)), digit, small);
}

#endif

/* Write the two digits of each of n bytes. */
void ashlar_hex_encode(uint8_t *to, const uint8_t *from, size_t n) {
  size_t i = 0;
#ifdef USE_SSE2
  for (; n - i >= 16; i += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(from + i));
    __m128i high = digits_of(_mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(15)));
    __m128i low = digits_of(_mm_and_si128(v, _mm_set1_epi8(15)));
    _mm_storeu_si128((__m128i *)(to + 2 * i), _mm_unpacklo_epi8(high, low));
    _mm_storeu_si128((__m128i *)(to + 2 * i + 16), _mm_unpackhi_epi8(high, low));
  }
#endif
#ifdef USE_NEON
  const uint8x16_t table = vld1q_u8((const uint8_t *)digits);
  for (; n - i >= 16; i += 16) {
    uint8x16_t v = vld1q_u8(from + i);
    uint8x16x2_t c;
    c.val[0] = vqtbl1q_u8(table, vshrq_n_u8(v, 4));
    c.val[1] = vqtbl1q_u8(table, vandq_u8(v, vdupq_n_u8(15)));
    vst2q_u8(to + 2 * i, c);
  }
#endif
  for (; i < n; i++) {
    to[2 * i] = (uint8_t)digits[from[i] >> 4];
    to[2 * i + 1] = (uint8_t)digits[from[i] & 15];
  }
}

/* Make n bytes of 2n digits, up to the first character that is none. Return the number of digits
   before it. */
size_t ashlar_hex_decode(uint8_t *to, const uint8_t *from, size_t n) {
  size_t i = 0;
#ifdef USE_SSE2
  for (; n - i >= 16; i += 16) {
    unsigned others1, others2;
    __m128i low = pairs_of(from + 2 * i, &others1), high = pairs_of(from + 2 * i + 16, &others2);
    if ((others1 | others2) != 0) break;
    _mm_storeu_si128((__m128i *)(to + i), _mm_packus_epi16(low, high));
  }
#endif
#ifdef USE_NEON
  for (; n - i >= 16; i += 16) {
    uint8x16x2_t c = vld2q_u8(from + 2 * i);
    uint8x16_t high = values_of(c.val[0]), low = values_of(c.val[1]);
    if (vmaxvq_u8(vorrq_u8(high, low)) > 15) break;
    vst1q_u8(to + i, vsliq_n_u8(low, high, 4));
  }
#endif
  for (; i < n; i++) {
    unsigned high = value_of(from[2 * i]), low = value_of(from[2 * i + 1]);
    if (high > 15) return 2 * i;
    if (low > 15) return 2 * i + 1;
    to[i] = (uint8_t)(high << 4 | low);
  }
  return 2 * n;
}

/* The number of leading digits among n characters that are readable. */
size_t ashlar_hex_span(const uint8_t *from, size_t n) {
  size_t i = 0;
#ifdef USE_SSE2
  for (; n - i >= 16; i += 16) {
    unsigned others;
    (void)pairs_of(from + i, &others);
    if (others != 0) return i + (size_t)__builtin_ctz(others);
  }
#endif
#ifdef USE_NEON
  for (; n - i >= 16; i += 16)
    if (vmaxvq_u8(values_of(vld1q_u8(from + i))) > 15) break;
#endif
  for (; i < n && value_of(from[i]) < 16; i++) {}
  return i;
}
