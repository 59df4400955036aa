// What kernels and the scheduler of the emulated device have in common.
#pragma once
#include <stdint.h>

struct Dim { unsigned x, y, z; };
extern Dim threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {
enum { LANES = 32, MOST_LANES = 1 << 14 };

// A kernel, as its library describes it: shared memory is what the library has in its .bss section.
struct Launch {
    void (*body)(void **arguments);
    void **arguments;
    char *shared, *shared_end;
    unsigned grid, block;
    unsigned resident;      // blocks that run at a time
    unsigned poison;        // byte that shared memory is filled with before each block
    unsigned long long seed;  // of the schedule; 0: threads run in turn from one barrier to the next
};

extern unsigned running;               // the thread: slot of its block · threads per block + threadIdx.x
extern unsigned long long slots[MOST_LANES];  // what lanes exchange

void turn();          // before a relaxed access or an atomic: another thread may take its turn
void progress();      // a thread has written what others may wait for
void meet_block();    // __syncthreads
void meet_lanes(unsigned mask);
unsigned long long first_seen(const void *at, unsigned long long now);  // there by the block, as L1 may keep it
void stored(const void *at);                                            // by the block, which sees that
void fence();                                                           // after which it sees all
unsigned live_lanes();  // of the running thread's warp: those that have not finished
}  // namespace emulator

// 0: done; 1: threads wait for each other; 2: threads poll what nobody writes; 3: a mask without the thread;
// 4: overflow, a shift by too much or an index out of bounds, at the line that emulator_line gives.
// Several launches, which run at the same time (each on a GPU of its own), are of one kernel and one size of blocks.
extern "C" int emulator_launch(const emulator::Launch *launches, unsigned count);
