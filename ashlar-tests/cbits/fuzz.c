/* A suite of this folder, on the inputs of libFuzzer. SUITE is its file. */
#define main suite
#include SUITE
#undef main

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
  state = 20260101;
  any_input(bytes, n);
  if (faults > 0) abort();
  return 0;
}
