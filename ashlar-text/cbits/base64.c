/* Base64 (RFC 4648), with the alphabet of section 4 or the one for URLs of section 5.
 *
 * Three bytes are four units of six bits, and each unit is a character. Only whole groups are
 * here: three bytes, four characters. The caller handles what comes after the last one.
 *
 * Many groups are converted at once: 4 with SSE2, which all x86-64 machines have, 8 with AVX2,
 * which is looked for at run time, 16 with NEON on AArch64. Elsewhere a table has the character of
 * each unit. Five ranges of characters form the alphabet, so units and characters differ by one of
 * five numbers. (Wojciech Mula, Daniel Lemire, "Faster Base64 encoding and decoding using AVX2
 * instructions", 2018.)
 *
 * ASHLAR_BASELINE leaves out what is looked for at run time, for tests.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__SSE2__) && defined(__GNUC__)
#define USE_SSE2
#include <emmintrin.h>
/* On Windows, gcc does not align the stack for registers of 32 bytes (its bug 54412). */
#if !defined(ASHLAR_BASELINE) && (!defined(_WIN32) || defined(__clang__))
#define USE_AVX2
#include <cpuid.h>
#include <immintrin.h>
#endif
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(ASHLAR_BASELINE)
#define USE_NEON
#include <arm_neon.h>
#endif

static const char alphabets[2][65] = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};

/* The unit of each character, with 64 added for the last two of the usual alphabet and 128 for
   those of the other. All other characters have 192. */
static const uint8_t units[256] = {
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 126, 192, 190, 192, 127,
     52,  53,  54,  55,  56,  57,  58,  59,  60,  61, 192, 192, 192, 192, 192, 192,
    192,   0,   1,   2,   3,   4,   5,   6,   7,   8,   9,  10,  11,  12,  13,  14,
     15,  16,  17,  18,  19,  20,  21,  22,  23,  24,  25, 192, 192, 192, 192, 191,
    192,  26,  27,  28,  29,  30,  31,  32,  33,  34,  35,  36,  37,  38,  39,  40,
     41,  42,  43,  44,  45,  46,  47,  48,  49,  50,  51, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192,
    192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192};

/* The bits of a character that is not in the alphabet. */
static inline uint8_t rejected(const char *alphabet) { return alphabet[62] == '-' ? 0x40 : 0x80; }

static inline void encode_group(uint8_t *d, const uint8_t *s, const char *alphabet) {
  uint32_t bits = (uint32_t)s[0] << 16 | (uint32_t)s[1] << 8 | s[2];
  d[0] = (uint8_t)alphabet[bits >> 18];
  d[1] = (uint8_t)alphabet[bits >> 12 & 63];
  d[2] = (uint8_t)alphabet[bits >> 6 & 63];
  d[3] = (uint8_t)alphabet[bits & 63];
}

/* Is the group good? If so, it is decoded. */
static inline int decode_group(uint8_t *d, const uint8_t *s, uint8_t reject) {
  unsigned u0 = units[s[0]], u1 = units[s[1]], u2 = units[s[2]], u3 = units[s[3]];
  if (((u0 | u1 | u2 | u3) & reject) != 0) return 0;
  d[0] = (uint8_t)(u0 << 2 | (u1 >> 4 & 0x03));
  d[1] = (uint8_t)(u1 << 4 | (u2 >> 2 & 0x0F));
  d[2] = (uint8_t)(u2 << 6 | (u3 & 0x3F));
  return 1;
}

/* The loops below convert as many groups as they can, and advance both addresses past them. They
   end where too few groups are left for the bytes that are read and written at once, and decoding
   also ends before groups that are not good. */

#ifdef USE_SSE2

static inline __m128i step_after(__m128i units, char last, __m128i step) {
  return _mm_and_si128(_mm_cmpgt_epi8(units, _mm_set1_epi8(last)), step);
}

static inline __m128i bits(__m128i shifted, int mask) {
  return _mm_and_si128(shifted, _mm_set1_epi32(mask));
}

static size_t encode_sse2(uint8_t **to, const uint8_t **from, size_t left, const char *alphabet) {
  uint8_t *d = *to;
  const uint8_t *s = *from;
  /* The characters are those from 'A' on, with a step after 25, 51, 61 and 62. */
  const __m128i step61 = _mm_set1_epi8((char)(alphabet[62] - 58));
  const __m128i step62 = _mm_set1_epi8((char)(alphabet[63] - alphabet[62] - 1));
  /* 16 bytes are read. */
  for (; left >= 6; left -= 4, s += 12, d += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)s);
    /* Three bytes, and one of the next, in each 32 bits. */
    __m128i ab = _mm_unpacklo_epi32(v, _mm_srli_si128(v, 3));
    __m128i cd = _mm_unpacklo_epi32(_mm_srli_si128(v, 6), _mm_srli_si128(v, 9));
    v = _mm_unpacklo_epi64(ab, cd);
    __m128i u = _mm_or_si128(
        _mm_or_si128(bits(_mm_srli_epi32(v, 2), 0x0000003F),
                     _mm_or_si128(bits(_mm_slli_epi32(v, 12), 0x00003000),
                                  bits(_mm_srli_epi32(v, 4), 0x00000F00))),
        _mm_or_si128(bits(_mm_slli_epi32(v, 8), 0x3F000000),
                     _mm_or_si128(bits(_mm_slli_epi32(v, 10), 0x003C0000),
                                  bits(_mm_srli_epi32(v, 6), 0x00030000))));
    __m128i c = _mm_add_epi8(u, _mm_set1_epi8('A'));
    c = _mm_add_epi8(c, step_after(u, 25, _mm_set1_epi8(6)));
    c = _mm_add_epi8(c, step_after(u, 51, _mm_set1_epi8(-75)));
    c = _mm_add_epi8(c, step_after(u, 61, step61));
    c = _mm_add_epi8(c, step_after(u, 62, step62));
    _mm_storeu_si128((__m128i *)d, c);
  }
  *to = d, *from = s;
  return left;
}

/* Which characters are among the n from the first on? They are compared as signed numbers, and the
   first becomes the least of these. */
static inline __m128i in_range(__m128i c, char first, char n) {
  __m128i moved = _mm_add_epi8(c, _mm_set1_epi8((char)(-128 - first)));
  return _mm_cmpgt_epi8(_mm_set1_epi8((char)(n - 128)), moved);
}

static inline __m128i equal_to(__m128i c, char this) {
  return _mm_cmpeq_epi8(c, _mm_set1_epi8(this));
}

static inline __m128i shift_if(__m128i which, int shift) {
  return _mm_and_si128(which, _mm_set1_epi8((char)shift));
}

/* What to add to characters to get their units. It is 0 for those outside of the alphabet only. */
static inline __m128i shifts_of(__m128i c, const char *alphabet) {
  char c62 = alphabet[62], c63 = alphabet[63];
  __m128i letter = _mm_or_si128(shift_if(in_range(c, 'A', 26), -65),
                                shift_if(in_range(c, 'a', 26), -71));
  __m128i special = _mm_or_si128(shift_if(equal_to(c, c62), 62 - c62),
                                 shift_if(equal_to(c, c63), 63 - c63));
  return _mm_or_si128(_mm_or_si128(letter, special), shift_if(in_range(c, '0', 10), 4));
}

/* Bit i says that character i is outside of the alphabet. */
static inline unsigned outside(__m128i shifts) {
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(shifts, _mm_setzero_si128()));
}

/* Write two numbers of 24 bits, the first of which is in the low half: 6 bytes, and 2 more. */
static inline void put6(uint8_t *d, uint64_t two) {
  uint64_t bytes = __builtin_bswap64((two & 0xFFFFFF) << 40 | two >> 32 << 16);
  memcpy(d, &bytes, 8);
}

static size_t decode_sse2(uint8_t **to, const uint8_t **from, size_t left, const char *alphabet) {
  uint8_t *d = *to;
  const uint8_t *s = *from;
  /* 14 bytes are written. */
  for (; left >= 5; left -= 4, s += 16, d += 12) {
    __m128i c = _mm_loadu_si128((const __m128i *)s);
    __m128i shifts = shifts_of(c, alphabet);
    if (outside(shifts)) break;
    __m128i u = _mm_add_epi8(c, shifts);
    __m128i even = _mm_and_si128(u, _mm_set1_epi16(0x00FF));
    __m128i pairs = _mm_or_si128(_mm_slli_epi16(even, 6), _mm_srli_epi16(u, 8));
    /* The first pair of each 32 bits is more significant. */
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000));
    put6(d, (uint64_t)_mm_cvtsi128_si64(fours));
    put6(d + 6, (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(fours, fours)));
  }
  *to = d, *from = s;
  return left;
}

#endif

#ifdef USE_AVX2

/* Has this machine AVX2, and does the operating system save its registers? The answer never
   changes, so it does not matter which thread finds it first. (__builtin_cpu_supports needs a
   symbol of libgcc that the linker of GHCi does not find.) */
static int has_avx2(void) {
  static int known = 0; /* 1: no, 2: yes */
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer == 0) {
    unsigned a, b, c, d, low, high;
    answer = 1;
    if (__get_cpuid_max(0, NULL) >= 7) {
      __cpuid(1, a, b, c, d);
      if ((c & (1u << 27)) != 0) {
        __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        __cpuid_count(7, 0, a, b, c, d);
        if ((low & 6) == 6 && (b & (1u << 5)) != 0) answer = 2;
      }
    }
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer == 2;
}

#define AVX2 __attribute__((target("avx2")))

/* Two times 12 bytes, in the halves of a register. 28 bytes are read. */
#define LOAD_HALVES(s)                                                         \
  _mm256_inserti128_si256(                                                     \
      _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(s))),           \
      _mm_loadu_si128((const __m128i *)((s) + 12)), 1)

AVX2 static size_t encode_avx2(uint8_t **to, const uint8_t **from, size_t left,
                               const char *alphabet) {
  uint8_t *d = *to;
  const uint8_t *s = *from;
  /* Bytes 1, 0, 2, 1 of three, so that each unit lies in 16 bits. */
  const __m256i order = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
  /* What to add to a unit: for 26 to 51, the digits one by one, the last two, 0 to 25. */
  const char c62 = (char)(alphabet[62] - 62), c63 = (char)(alphabet[63] - 63);
  const __m256i shifts = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, c62, c63, 65, 0, 0));
  /* 28 bytes are read. */
  for (; left >= 10; left -= 8, s += 24, d += 32) {
    __m256i v = _mm256_shuffle_epi8(LOAD_HALVES(s), order);
    /* Multiplications shift by different numbers of bits. */
    __m256i u02 = _mm256_mulhi_epu16(_mm256_and_si256(v, _mm256_set1_epi32(0x0FC0FC00)),
                                     _mm256_set1_epi32(0x04000040));
    __m256i u13 = _mm256_mullo_epi16(_mm256_and_si256(v, _mm256_set1_epi32(0x003F03F0)),
                                     _mm256_set1_epi32(0x01000010));
    __m256i u = _mm256_or_si256(u02, u13);
    __m256i i = _mm256_subs_epu8(u, _mm256_set1_epi8(51));
    __m256i upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), u);
    i = _mm256_or_si256(i, _mm256_and_si256(upper, _mm256_set1_epi8(13)));
    _mm256_storeu_si256((__m256i *)d, _mm256_add_epi8(u, _mm256_shuffle_epi8(shifts, i)));
  }
  *to = d, *from = s;
  return left;
}

/* A character is in the alphabet if the set of its upper half and those that lack its lower half
   have no bit in common. */
static const uint8_t set_of_upper[2][16] = {
    {1, 1, 2, 4, 8, 16, 8, 16, 1, 1, 1, 1, 1, 1, 1, 1},
    {1, 1, 2, 4, 8, 16, 8, 32, 1, 1, 1, 1, 1, 1, 1, 1}};
static const uint8_t sets_without_lower[2][16] = {
    {11, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 21, 23, 23, 23, 21},
    {11, 3, 3, 3, 3, 3, 3, 3, 3, 3, 7, 55, 55, 53, 55, 39}};

/* A table of 16 bytes, in both halves of a register. */
AVX2 static inline __m256i table_of(const uint8_t *table) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
}

AVX2 static size_t decode_avx2(uint8_t **to, const uint8_t **from, size_t left, int url) {
  uint8_t *d = *to;
  const uint8_t *s = *from;
  const char c62 = alphabets[url][62], c63 = alphabets[url][63];
  const __m256i uppers = table_of(set_of_upper[url]), lowers = table_of(sets_without_lower[url]);
  /* What to add to a character: by its upper half, and at index 1 for the last of the alphabet. */
  const __m256i shifts = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      0, (char)(63 - c63), (char)(62 - c62), 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i to_index1 = _mm256_set1_epi8((char)(1 - (c63 >> 4)));
  const __m256i low4 = _mm256_set1_epi8(15);
  const __m256i order = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
  const __m256i joined = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
  /* 32 bytes are written. */
  for (; left >= 11; left -= 8, s += 32, d += 24) {
    __m256i c = _mm256_loadu_si256((const __m256i *)s);
    __m256i upper = _mm256_and_si256(_mm256_srli_epi32(c, 4), low4);
    __m256i lower = _mm256_and_si256(c, low4);
    if (!_mm256_testz_si256(_mm256_shuffle_epi8(uppers, upper),
                            _mm256_shuffle_epi8(lowers, lower)))
      break;
    __m256i last = _mm256_cmpeq_epi8(c, _mm256_set1_epi8(c63));
    __m256i i = _mm256_add_epi8(upper, _mm256_and_si256(last, to_index1));
    __m256i u = _mm256_add_epi8(c, _mm256_shuffle_epi8(shifts, i));
    __m256i pairs = _mm256_maddubs_epi16(u, _mm256_set1_epi16(0x0140));
    __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    __m256i bytes = _mm256_shuffle_epi8(fours, order);
    _mm256_storeu_si256((__m256i *)d, _mm256_permutevar8x32_epi32(bytes, joined));
  }
  *to = d, *from = s;
  return left;
}

#endif

#ifdef USE_NEON

static size_t encode_neon(uint8_t **to, const uint8_t **from, size_t left, const char *alphabet) {
  uint8_t *d = *to;
  const uint8_t *s = *from;
  /* (Before version 10, gcc has no vld1q_u8_x4.) */
  uint8x16x4_t table;
  for (int i = 0; i < 4; i++) table.val[i] = vld1q_u8((const uint8_t *)alphabet + 16 * i);
  const uint8x16_t low6 = vdupq_n_u8(0x3F);
  for (; left >= 16; left -= 16, s += 48, d += 64) {
    uint8x16x3_t v = vld3q_u8(s);
    uint8x16x4_t c;
    c.val[0] = vshrq_n_u8(v.val[0], 2);
    c.val[1] = vandq_u8(vsliq_n_u8(vshrq_n_u8(v.val[1], 4), v.val[0], 4), low6);
    c.val[2] = vandq_u8(vsliq_n_u8(vshrq_n_u8(v.val[2], 6), v.val[1], 2), low6);
    c.val[3] = vandq_u8(v.val[2], low6);
    for (int i = 0; i < 4; i++) c.val[i] = vqtbl4q_u8(table, c.val[i]);
    vst4q_u8(d, c);
  }
  *to = d, *from = s;
  return left;
}

static inline uint8x16_t shift_if(uint8x16_t which, int shift) {
  return vandq_u8(which, vdupq_n_u8((uint8_t)shift));
}

static inline uint8x16_t in_range(uint8x16_t c, char first, uint8_t n) {
  return vcltq_u8(vsubq_u8(c, vdupq_n_u8((uint8_t)first)), vdupq_n_u8(n));
}

/* What to add to characters to get their units. It is 0 for those outside of the alphabet only. */
static inline uint8x16_t shifts_of(uint8x16_t c, const char *alphabet) {
  char c62 = alphabet[62], c63 = alphabet[63];
  uint8x16_t letter =
      vorrq_u8(shift_if(in_range(c, 'A', 26), -65), shift_if(in_range(c, 'a', 26), -71));
  uint8x16_t special = vorrq_u8(shift_if(vceqq_u8(c, vdupq_n_u8((uint8_t)c62)), 62 - c62),
                                shift_if(vceqq_u8(c, vdupq_n_u8((uint8_t)c63)), 63 - c63));
  return vorrq_u8(vorrq_u8(letter, special), shift_if(in_range(c, '0', 10), 4));
}

static size_t decode_neon(uint8_t **to, const uint8_t **from, size_t left, const char *alphabet) {
  uint8_t *d = *to;
  const uint8_t *s = *from;
  for (; left >= 16; left -= 16, s += 64, d += 48) {
    uint8x16x4_t c = vld4q_u8(s);
    uint8x16_t good = vdupq_n_u8(0xFF);
    for (int i = 0; i < 4; i++) {
      uint8x16_t shifts = shifts_of(c.val[i], alphabet);
      good = vandq_u8(good, vtstq_u8(shifts, shifts));
      c.val[i] = vaddq_u8(c.val[i], shifts);
    }
    if (vminvq_u8(good) == 0) break;
    uint8x16x3_t v;
    v.val[0] = vsliq_n_u8(vshrq_n_u8(c.val[1], 4), c.val[0], 2);
    v.val[1] = vsliq_n_u8(vshrq_n_u8(c.val[2], 2), c.val[1], 4);
    v.val[2] = vsliq_n_u8(c.val[3], c.val[2], 6);
    vst3q_u8(d, v);
  }
  *to = d, *from = s;
  return left;
}

#endif

/* Encode groups of three bytes, all of them readable, as four characters each. */
void ashlar_base64_encode(uint8_t *to, const uint8_t *from, size_t groups, int url) {
  const char *alphabet = alphabets[url];
  size_t left = groups;
#ifdef USE_AVX2
  if (left >= 10 && has_avx2()) left = encode_avx2(&to, &from, left, alphabet);
#endif
#ifdef USE_SSE2
  left = encode_sse2(&to, &from, left, alphabet);
#endif
#ifdef USE_NEON
  left = encode_neon(&to, &from, left, alphabet);
#endif
  for (; left > 0; left--, from += 3, to += 4) encode_group(to, from, alphabet);
}

/* Decode groups of four characters, all of them readable, to three bytes each, up to the first
   that has a character outside of the alphabet. Return the number of groups before it. Three bytes
   must be writable for each group, and those after the result may be overwritten. */
size_t ashlar_base64_decode(uint8_t *to, const uint8_t *from, size_t groups, int url) {
  const char *alphabet = alphabets[url];
  size_t left = groups;
#ifdef USE_AVX2
  if (left >= 11 && has_avx2()) left = decode_avx2(&to, &from, left, url);
#endif
#ifdef USE_SSE2
  left = decode_sse2(&to, &from, left, alphabet);
#endif
#ifdef USE_NEON
  left = decode_neon(&to, &from, left, alphabet);
#endif
  uint8_t reject = rejected(alphabet);
  for (; left > 0 && decode_group(to, from, reject); left--, from += 4, to += 3) {}
  return groups - left;
}

/* The number of leading characters of the alphabet, among n that are readable. */
size_t ashlar_base64_span(const uint8_t *from, size_t n, int url) {
  const char *alphabet = alphabets[url];
  size_t i = 0;
#ifdef USE_SSE2
  for (; n - i >= 16; i += 16) {
    unsigned others = outside(shifts_of(_mm_loadu_si128((const __m128i *)(from + i)), alphabet));
    if (others != 0) return i + (size_t)__builtin_ctz(others);
  }
#endif
#ifdef USE_NEON
  for (; n - i >= 16; i += 16)
    if (vminvq_u8(vtstq_u8(shifts_of(vld1q_u8(from + i), alphabet), vdupq_n_u8(0xFF))) == 0) break;
#endif
  uint8_t reject = rejected(alphabet);
  for (; i < n && (units[from[i]] & reject) == 0; i++) {}
  return i;
}
