// Counts the Haskell threads that have not ended, for tests of what is left over.
// (GHC.Conc.listThreads does it from GHC 9.6 on.)

// The suite is linked with -threaded, and this changes the size of a generation.
#ifndef THREADED_RTS
#define THREADED_RTS
#endif
#include "Rts.h"

HsInt ashlar_thread_count(void)
{
    HsInt count = 0;
    // The collector cannot run meanwhile, because the call is unsafe.
    for (uint32_t g = 0; g < RtsFlags.GcFlags.generations; g++)
        for (StgTSO *t = generations[g].threads; t != END_TSO_QUEUE; t = t->global_link)
            if (t->what_next != ThreadKilled && t->what_next != ThreadComplete)
                count++;
    return count;
}
