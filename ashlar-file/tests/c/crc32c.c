/* Tests cbits/crc32c.c against the definition, which goes bit by bit. All memory has its exact size,
 * so that the sanitizers see any access outside of it.
 */
#include "check.h"

uint32_t ashlar_crc32c(uint32_t crc, const uint8_t *from, size_t n);
uint32_t ashlar_crc32c_tables(uint32_t crc, const uint8_t *from, size_t n);
int ashlar_crc32c_has_instruction(void);

/* The least input that is cut into three streams. */
#define STREAMS 3072

static uint32_t model(uint32_t crc, const uint8_t *from, size_t n) {
  crc = ~crc;
  for (size_t i = 0; i < n; i++) {
    crc ^= from[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

/* At an address that is `odd` bytes after an aligned one, both ways, at once and in two parts. */
static void whole(const uint8_t *bytes, size_t n, size_t odd, size_t cut) {
  uint8_t *all = malloc(odd + n > 0 ? odd + n : 1);
  if (all == NULL) abort();
  uint8_t *in = all + odd;
  memcpy(in, bytes, n);
  uint32_t before = below(2) == 0 ? 0 : below(0xFFFFFFFF);
  uint32_t wanted = model(before, bytes, n);
  check(ashlar_crc32c(before, in, n) == wanted, "the fastest", n);
  check(ashlar_crc32c_tables(before, in, n) == wanted, "by tables", n);
  check(ashlar_crc32c(ashlar_crc32c(before, in, cut), in + cut, n - cut) == wanted, "in parts", n);
  check(ashlar_crc32c_tables(ashlar_crc32c_tables(before, in, cut), in + cut, n - cut) == wanted,
        "in parts, by tables", n);
  free(all);
}

static uint8_t bytes[3 * STREAMS + 400];

static void noise(size_t n) {
  for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)below(256);
}

/* The input alone, and within enough random bytes for three streams. */
void any_input(const uint8_t *input, size_t n) {
  whole(input, n, n % 8, below((uint32_t)n + 1));
  if (n > 400) n = 400;
  size_t length = STREAMS * (1 + below(2)) + below(STREAMS);
  size_t at = below((uint32_t)(length - n + 1));
  noise(length);
  memcpy(bytes + at, input, n);
  whole(bytes, length, at % 8, below((uint32_t)length + 1));
}

static void vector(const char *input, size_t n, uint32_t wanted) {
  uint8_t *in = exact(input, n);
  check(model(0, in, n) == wanted, "the model", n);
  check(ashlar_crc32c(0, in, n) == wanted, "the fastest", n);
  check(ashlar_crc32c_tables(0, in, n) == wanted, "by tables", n);
  free(in);
}

int main(void) {
  char text[32];

  /* Those of RFC 3720, and the usual one. */
  vector(memset(text, 0, 32), 32, 0x8A9136AA);
  vector(memset(text, 0xFF, 32), 32, 0x62A8AB43);
  for (int i = 0; i < 32; i++) text[i] = (char)i;
  vector(text, 32, 0x46DD794E);
  for (int i = 0; i < 32; i++) text[i] = (char)(31 - i);
  vector(text, 32, 0x113FDB5C);
  vector("123456789", 9, 0xE3069283);
  group_ends("known checksums");

  for (size_t n = 0; n <= 200; n++)
    for (size_t odd = 0; odd < 8; odd++) {
      noise(n);
      whole(bytes, n, odd, below((uint32_t)n + 1));
    }
  group_ends("short ones, at every alignment");

  for (size_t n = 1; n <= 64; n++)
    for (size_t bit = 0; bit < 8 * n; bit++) {
      memset(bytes, 0, n);
      bytes[bit / 8] = (uint8_t)(1u << bit % 8);
      whole(bytes, n, 0, bit / 8);
    }
  group_ends("each bit");

  for (size_t streams = 1; streams <= 3; streams++)
    for (size_t n = streams * STREAMS - 20; n <= streams * STREAMS + 20; n++) {
      noise(n);
      whole(bytes, n, n % 8, below((uint32_t)n + 1));
    }
  for (size_t byte = 0; byte < STREAMS; byte++) {
    memset(bytes, 0, STREAMS);
    bytes[byte] = (uint8_t)(1 + below(255));
    whole(bytes, STREAMS, 0, byte);
  }
  group_ends("three streams");

  return report(ashlar_crc32c_has_instruction() ? "CRC-32C in C, by the instruction"
                                                : "CRC-32C in C, by tables");
}
