// An array with a copy on each of several GPUs. Each writes the words of a range of its own: to its own copy, and to
// those where they are needed, which are written over the link and read where they are. Compiled with SYSTEM=1, so that
// words are stored and loaded at the scope of the system. Any thread may call.
//
// The table is the host's, words of 64 bits: the address of a word that says "stop", the number of GPUs, which of them
// this is, and for each GPU the first id of its range and the address of its copy; then the end of the last range.
#pragma once
#include "base/device/include/common.cuh"

#define PEERS_HEAD 3  // words before the words of the GPUs
#define PEERS_PATIENCE 0x1000u  // turns of waiting between two looks at "stop"

template <class Word> struct Peers {
    const u64* __restrict__ table;
    __device__ __forceinline__ int first(int gpu) const { return (int)table[PEERS_HEAD + 2 * gpu]; }

    // Word i, of this GPU's range, to the GPUs that have an id from `low` to `high`.
    __device__ __forceinline__ void push(int i, unsigned x, int low, int high) const {
        const int gpus = (int)table[1], mine = (int)table[2];
        if (low >= first(mine) && high < first(mine + 1)) return;
        for (int gpu = 0; gpu < gpus; gpu++)
            if (gpu != mine && low < first(gpu + 1) && high >= first(gpu))
                store_relaxed((Word*)table[PEERS_HEAD + 2 * gpu + 1] + i, x);
    }

    __device__ __forceinline__ bool stopped() const { return load_relaxed((const int*)table[0]) != 0; }

    // After this number of turns without a change: whether to wait no more, since the host says that others will not
    // come.
    __device__ __forceinline__ bool stopped_after(unsigned idle) const {
        return idle % PEERS_PATIENCE == PEERS_PATIENCE - 1 && stopped();
    }
};
