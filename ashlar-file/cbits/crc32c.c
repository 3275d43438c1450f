/* CRC-32C (Castagnoli), the checksum of iSCSI (RFC 3720), by the processor's instruction where it has
 * one, else by tables.
 *
 * All functions work on the register: the checksum with all bits inverted. It is linear. So data is cut
 * into three streams of equal length, whose registers are computed side by side, because an instruction
 * takes three cycles and one can begin in each. What n zero bytes do to a register is looked up in
 * 'shift', and brings the three together.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(ASHLAR_BASELINE)
#define USE_SSE42
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(ASHLAR_BASELINE) && \
    (defined(__linux__) || defined(__APPLE__))
#define USE_ARMV8
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

/* The polynomial, with its bits reversed. */
#define POLYNOMIAL 0x82F63B78u

/* Bytes of each of the three streams. */
#define STREAM 1024

static uint32_t tables[8][256]; /* tables[k][b]: the register b, after k + 1 zero bytes */
static uint32_t shift[4][256];  /* shift[k][b]: the register b << 8 k, after STREAM zero bytes */
static int ready;

static uint32_t by_tables(uint32_t crc, const uint8_t *from, size_t n) {
  while (n >= 8) {
    uint32_t low = crc ^ ((uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
                          (uint32_t)from[3] << 24);
    crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^
          tables[4][low >> 24] ^ tables[3][from[4]] ^ tables[2][from[5]] ^ tables[1][from[6]] ^
          tables[0][from[7]];
    from += 8;
    n -= 8;
  }
  while (n-- > 0) crc = crc >> 8 ^ tables[0][(crc ^ *from++) & 255];
  return crc;
}

/* Two threads may do this at once: they write the same numbers. */
static void prepare(void) {
  if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) return;
  for (unsigned b = 0; b < 256; b++) {
    uint32_t crc = b;
    for (int i = 0; i < 8; i++) crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    tables[0][b] = crc;
  }
  for (unsigned b = 0; b < 256; b++)
    for (int k = 1; k < 8; k++)
      tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 255];
  static const uint8_t zeros[STREAM];
  for (int k = 0; k < 4; k++) {
    shift[k][0] = 0;
    for (unsigned bit = 1; bit < 256; bit *= 2) {
      uint32_t shifted = by_tables((uint32_t)bit << 8 * k, zeros, STREAM);
      for (unsigned b = 0; b < bit; b++) shift[k][bit + b] = shift[k][b] ^ shifted;
    }
  }
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
}

#if defined(USE_SSE42) || defined(USE_ARMV8)

#define USE_INSTRUCTION

static inline uint32_t shifted(uint32_t crc) {
  return shift[0][crc & 255] ^ shift[1][crc >> 8 & 255] ^ shift[2][crc >> 16 & 255] ^
         shift[3][crc >> 24];
}

static inline uint64_t eight(const uint8_t *from) {
  uint64_t word;
  memcpy(&word, from, 8);
  return word;
}

#ifdef USE_SSE42
#define TARGET __attribute__((target("sse4.2")))
#define BYTE(crc, b) _mm_crc32_u8((crc), (b))
#define WORD(crc, w) ((uint32_t)_mm_crc32_u64((crc), (w)))
static int supported(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2") != 0;
}
#else
#define TARGET
static inline uint32_t BYTE(uint32_t crc, uint8_t b) {
  __asm__(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"((uint32_t)b));
  return crc;
}
static inline uint32_t WORD(uint32_t crc, uint64_t w) {
#ifdef __AARCH64EB__
  w = __builtin_bswap64(w);
#endif
  __asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(w));
  return crc;
}
static int supported(void) {
#ifdef __APPLE__
  return 1;
#else
  return (getauxval(AT_HWCAP) & (1 << 7)) != 0; /* HWCAP_CRC32 */
#endif
}
#endif

TARGET static uint32_t by_instruction(uint32_t crc, const uint8_t *from, size_t n) {
  while (n >= 3 * STREAM) {
    uint32_t second = 0, third = 0;
    for (const uint8_t *end = from + STREAM; from < end; from += 8) {
      crc = WORD(crc, eight(from));
      second = WORD(second, eight(from + STREAM));
      third = WORD(third, eight(from + 2 * STREAM));
    }
    crc = shifted(shifted(crc) ^ second) ^ third;
    from += 2 * STREAM;
    n -= 3 * STREAM;
  }
  for (; n >= 8; from += 8, n -= 8) crc = WORD(crc, eight(from));
  while (n-- > 0) crc = BYTE(crc, *from++);
  return crc;
}

#endif

/* Has this processor the instruction? */
int ashlar_crc32c_has_instruction(void) {
#ifdef USE_INSTRUCTION
  static int known; /* 0: not asked yet, 1: no, 2: yes */
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (answer == 0) {
    answer = supported() ? 2 : 1;
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer == 2;
#else
  return 0;
#endif
}

/* The checksum of some bytes and n more, given that of the former: by tables. */
uint32_t ashlar_crc32c_tables(uint32_t crc, const uint8_t *from, size_t n) {
  prepare();
  return ~by_tables(~crc, from, n);
}

/* The same, by the instruction if there is one. */
uint32_t ashlar_crc32c(uint32_t crc, const uint8_t *from, size_t n) {
  prepare();
#ifdef USE_INSTRUCTION
  if (ashlar_crc32c_has_instruction()) return ~by_instruction(~crc, from, n);
#endif
  return ~by_tables(~crc, from, n);
}
