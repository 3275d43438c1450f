/* The entry of libFuzzer: see OneInput.hs. The ticks of GHC's program coverage are counters to it. */
#include <Rts.h>
#include <stdint.h>
#include <stdlib.h>

HsBool fuzz_one(HsPtr bytes, HsInt n);
void fuzz_seeds(HsPtr folder);
uint32_t fuzz_start(void);
void fuzz_counts(uint8_t *counters, size_t n);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* libFuzzer finds the section by its name. A tick has its own counter if there are not more. */
__attribute__((section("__libfuzzer_extra_counters"), used)) static uint8_t counters[1 << 17];

/* With ASHLAR_SEEDS in the environment, write the first inputs to this folder, and end. */
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  static char *names[] = {"decoders", "+RTS", "-A8m", "-M1500m", "--install-signal-handlers=no", "-RTS", NULL};
  char **arguments = names;
  int count = 6;
  RtsConfig config = defaultRtsConfig;
  config.rts_opts_enabled = RtsOptsAll;
  hs_init_ghc(&count, &arguments, config);
  fuzz_start();
  char *folder = getenv("ASHLAR_SEEDS");
  if (folder != NULL) {
    fuzz_seeds(folder);
    exit(0);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  if (!fuzz_one((HsPtr)bytes, (HsInt)n)) abort();
  fuzz_counts(counters, sizeof counters);
  return 0;
}
