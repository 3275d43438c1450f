/* What the fuzzer asks of the runtime system: which ticks of GHC's program coverage a case has
 * reached, and which case it was if the program dies. In a program without coverage there are no
 * ticks.
 */
#include <Rts.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

typedef struct {
  const char *name;
  StgWord64 *ticks;
  uint32_t count;
  uint8_t *reached;
} module;

static module *modules;
static uint32_t module_count, tick_count;

/* Find the modules of the library. Return the number of their ticks. */
uint32_t fuzz_start(void) {
  for (HpcModuleInfo *m = hs_hpc_rootModule(); m != NULL; m = m->next) {
    const char *slash = strrchr(m->modName, '/');
    const char *name = slash == NULL ? m->modName : slash + 1;
    if (strncmp(name, "Ashlar.", 7) != 0 || strncmp(name, "Ashlar.Codec.Laws", 17) == 0) continue;
    modules = realloc(modules, (module_count + 1) * sizeof *modules);
    if (modules == NULL) abort();
    modules[module_count++] =
        (module){m->modName, m->tixArr, m->tickCount, calloc(m->tickCount, 1)};
    tick_count += m->tickCount;
  }
  return tick_count;
}

uint32_t fuzz_modules(void) { return module_count; }
const char *fuzz_module(uint32_t i) { return modules[i].name; }
uint32_t fuzz_module_ticks(uint32_t i) { return modules[i].count; }
uint8_t fuzz_reached(uint32_t i, uint32_t tick) { return modules[i].reached[tick]; }

/* Classes of counts: 1, 2 and 3, 4 to 15, 16 to 127, and more. */
static inline uint8_t class_of(StgWord64 n) {
  return n == 1 ? 1 : n < 4 ? 2 : n < 16 ? 4 : n < 128 ? 8 : 16;
}

/* Clear all ticks. Return how many have a class that `seen` does not have, and add the classes to
 * it. `seen` may be NULL. The sum of all ticks goes to `cost`. */
uint32_t fuzz_take(uint8_t *seen, uint64_t *cost) {
  uint32_t news = 0;
  *cost = 0;
  for (uint32_t m = 0; m < module_count; m++) {
    StgWord64 *ticks = modules[m].ticks;
    uint32_t count = modules[m].count;
    for (uint32_t i = 0; i < count; i++) {
      if (ticks[i] == 0) continue;
      *cost += ticks[i];
      modules[m].reached[i] = 1;
      if (seen != NULL) {
        uint8_t class = class_of(ticks[i]);
        news += (seen[i] & class) == 0;
        seen[i] |= class;
      }
      ticks[i] = 0;
    }
    if (seen != NULL) seen += count;
  }
  return news;
}

/* Clear all ticks, and count each in one of n counters, up to 255. */
void fuzz_counts(uint8_t *counters, size_t n) {
  size_t k = 0;
  for (uint32_t m = 0; m < module_count; m++)
    for (uint32_t i = 0; i < modules[m].count; i++, k++) {
      StgWord64 ticks = modules[m].ticks[i];
      if (ticks == 0) continue;
      StgWord64 sum = counters[k % n] + ticks;
      counters[k % n] = sum < ticks || sum > 255 ? 255 : (uint8_t)sum;
      modules[m].ticks[i] = 0;
    }
}

static uint64_t state;

void fuzz_seed(uint64_t seed) { state = seed; }

uint64_t fuzz_random(void) {
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* The current case. */
static const uint8_t *volatile input;
static volatile size_t input_size;
static char target[200], file[200];

void fuzz_target(const char *name) { strncpy(target, name, sizeof target - 1); }

void fuzz_case(const uint8_t *bytes, size_t n) {
  input = bytes;
  input_size = n;
}

/* Write the case as a finding, and end. */
static void dying(int signal) {
  const char *why = signal == SIGPROF ? "\n  no result within 20 s of processor time\n  " : "\n  a crash\n  ";
  int fd = open(file, O_CREAT | O_WRONLY | O_APPEND, 0666);
  const int outputs[] = {2, fd};
  for (int k = 0; k < 2; k++) {
    int to = outputs[k];
    if (write(to, target, strlen(target)) < 0 || write(to, why, strlen(why)) < 0) break;
    for (size_t i = 0; i < input_size; i++) {
      char hex[3] = {"0123456789abcdef"[input[i] >> 4], "0123456789abcdef"[input[i] & 15], 0};
      if (write(to, hex, 2) < 0) break;
    }
    if (write(to, "\n", 1) < 0) break;
  }
  _exit(3);
}

/* Where a case goes that kills the program. */
void fuzz_deadly(const char *path) {
  strncpy(file, path, sizeof file - 1);
  signal(SIGSEGV, dying);
  signal(SIGBUS, dying);
  signal(SIGABRT, dying);
  signal(SIGILL, dying);
  signal(SIGPROF, dying);
}

/* No result for 20 seconds of processor time after the last of these calls is the end. */
void fuzz_alive(void) {
  const struct itimerval twenty = {{0, 0}, {20, 0}};
  setitimer(ITIMER_PROF, &twenty, NULL);
}
