/* What the tests of the C code share: counts, random numbers, and memory of exact size. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts of the current group, and of groups. */
static unsigned checks, faults;
static unsigned passed, failed;

static void check(int ok, const char *what, size_t n) {
  checks++;
  if (!ok && faults++ < 20) printf("  FAILED: %s, %zu\n", what, n);
}

static void group_ends(const char *name) {
  printf("%s: %u checks\n", name, checks);
  if (faults == 0 && checks > 0) {
    passed++;
  } else {
    failed++;
  }
  checks = faults = 0;
}

/* All that a suite says about any bytes, for fuzz.c. */
void any_input(const uint8_t *bytes, size_t n);

/* Print the result line of a suite: see report_tests in scripts/lib.sh. Return the status. */
static int report(const char *suite) {
  printf("== %s: %u passed, %u failed\n", suite, passed, failed);
  return failed > 0;
}

static uint64_t state = 20260101;

static uint32_t below(uint32_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((state >> 33) % n);
}

/* A copy that ends where its memory ends. */
static void *exact(const void *from, size_t size) {
  void *to = malloc(size > 0 ? size : 1);
  if (to == NULL) abort();
  memcpy(to, from, size);
  return to;
}
