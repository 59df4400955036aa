// An array with a copy on each of several GPUs. Each GPU writes the words of its own range, to its own copy and over
// the link to the copies of the GPUs that need them. All GPUs read their own copy. Compiled with SYSTEM=1, so that
// words are stored and loaded at the scope of the system. Any thread may call.
//
// The host fills a table of 64-bit words: the address of the word "stop", the number of GPUs, the number of this GPU,
// and for each GPU the first id of its range and the address of its copy; then the end of the last range.
#pragma once
#include "base/device/include/common.cuh"

#define PEERS_HEAD 3  // words before the words of the GPUs
#define PEERS_PATIENCE 0x1000u  // turns of waiting between two reads of "stop"

template <class Word> struct Peers {
    const u64* __restrict__ table;
    __device__ __forceinline__ int first(int gpu) const { return (int)table[PEERS_HEAD + 2 * gpu]; }

    // Sends word i of this GPU's range to the other GPUs whose ranges contain an id from `low` to `high`.
    __device__ __forceinline__ void push(int i, unsigned x, int low, int high) const {
        const int gpus = (int)table[1], mine = (int)table[2];
        if (low >= first(mine) && high < first(mine + 1)) return;
        for (int gpu = 0; gpu < gpus; gpu++)
            if (gpu != mine && low < first(gpu + 1) && high >= first(gpu))
                store_relaxed((Word*)table[PEERS_HEAD + 2 * gpu + 1] + i, x);
    }

    __device__ __forceinline__ bool stopped() const { return load_relaxed((const int*)table[0]) != 0; }

    // Whether to end waiting after `idle` turns without a change: the host has set "stop", because other GPUs will not
    // continue.
    __device__ __forceinline__ bool stopped_after(unsigned idle) const {
        return idle % PEERS_PATIENCE == PEERS_PATIENCE - 1 && stopped();
    }
};
