// The least and the largest number of an array, how often the largest occurs, and where the array first falls or
// repeats. Each block writes what it has found to memory of the host. With STEPS the numbers are differences of
// adjacent offsets, hence degrees.
//
// Bytes that must move: the array.
//
// variants: TYPE=int STEPS=0,1
// variants: TYPE="long long" STEPS=0,1
// variants: TYPE="unsigned long long" STEPS=0
// variants: TYPE="signed char" STEPS=0
#include "base/device/include/group.cuh"

#define BLOCK 256
#define AHEAD 8

// Numbers of up to 32 bits, and signed ones, fit the signed type.
template <class T> struct Wide { typedef long long type; };
template <> struct Wide<unsigned long long> { typedef unsigned long long type; };
typedef Wide<TYPE>::type number_t;
typedef Threads<BLOCK> Block;

struct Found {
    number_t least, largest;
    long long count;         // occurrences of the largest
    long long fall, repeat;  // the first i with x[i] > x[i + 1], and with x[i] = x[i + 1]; n for none
    u64 squares;             // sum of the squares of degrees
};

static __device__ __forceinline__ number_t number(const TYPE* x, long long i) {
    return STEPS ? (number_t)(x[i + 1] - x[i]) : (number_t)x[i];
}

// n > 0 numbers.
extern "C" __global__ void extremes(const TYPE* x, long long n, Found* found) {
    const long long start = (long long)blockIdx.x * BLOCK + threadIdx.x, step = (long long)gridDim.x * BLOCK;
    Found mine = {number(x, 0), number(x, 0), 0, n, n, 0};
    for (long long first = start; first < n; first += AHEAD * step) {
        number_t here[AHEAD], next[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const long long i = first + k * step;
            here[k] = i < n ? number(x, i) : mine.least;
            next[k] = !STEPS && i + 1 < n ? number(x, i + 1) : here[k];
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const long long i = first + k * step;
            if (i >= n) continue;
            mine.least = here[k] < mine.least ? here[k] : mine.least;
            if (here[k] > mine.largest) mine.count = 0;
            mine.largest = here[k] > mine.largest ? here[k] : mine.largest;
            mine.count += here[k] == mine.largest;
            if (STEPS) mine.squares += (u64)here[k] * here[k];
            if (STEPS || i + 1 == n) continue;
            if (here[k] > next[k] && i < mine.fall) mine.fall = i;
            if (here[k] == next[k] && i < mine.repeat) mine.repeat = i;
        }
    }
    const number_t largest = Block::reduce<Most>(mine.largest), least = Block::reduce<Least>(mine.least);
    const long long count = Block::reduce<Plus>(mine.largest == largest ? mine.count : 0);
    const long long fall = Block::reduce<Least>(mine.fall), repeat = Block::reduce<Least>(mine.repeat);
    const u64 squares = STEPS ? Block::reduce<Plus>(mine.squares) : 0;
    if (threadIdx.x == 0) found[blockIdx.x] = {least, largest, count, fall, repeat, squares};
}
