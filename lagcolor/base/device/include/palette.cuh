// Which colors the neighbors of a vertex have, as bits, and the least free color.
//
// A single thread has a word in a register. A group has a Palette of 32 · WORDS colors in shared memory. If all are
// taken, the row is read again for the next colors (`base`). Between two barriers, bits are only set, by atomics: a
// thread that finds a bit set need not set it again. When `least` returns, all threads have read the words.
#pragma once
#include "base/device/include/group.cuh"

#define NO_COLOR 0x7fffffffu  // no color

// The least color whose bit is not set, or −1 if all are set.
__device__ __forceinline__ int least_free(unsigned taken) { return __ffs((int)~taken) - 1; }
__device__ __forceinline__ int least_free(u64 taken) { return __ffsll((long long)~taken) - 1; }

// The least free color, or −1, for all lanes. Lane i of the warp has the bits of colors 32 i … 32 i + 31; the whole
// warp calls.
__device__ __forceinline__ int least_free_of_lanes(unsigned taken) {
    const unsigned open = __ballot_sync(ALL_LANES, taken != ~0u);
    const int first = open ? __ffs((int)open) - 1 : 0;
    const unsigned word = __shfl_sync(ALL_LANES, taken, first);
    return open ? first * WARP + least_free(word) : -1;
}

// Sets the bit of a color. It reads the word first: a warp would queue for the atomic of a color that is set already.
__device__ __forceinline__ void take_color(unsigned* words, unsigned color) {
    if (!(((volatile unsigned*)words)[color / 32] >> color % 32 & 1)) atomicOr(words + color / 32, 1u << color % 32);
}

template <class Group, int WORDS> struct Palette {
    static_assert(Group::SIZE >= WARP, "a warp or a block");
    enum { COLORS = 32 * WORDS };
    unsigned* words;

    // Sets each word to `taken`, by default to no color; the group calls.
    __device__ __forceinline__ void clear(unsigned taken = 0) const {
        for (int w = Group::lane(); w < WORDS; w += Group::SIZE) words[w] = taken;
        Group::sync();
    }

    // Takes color base + c; c may be past the end. Any thread of the group may call.
    __device__ __forceinline__ void take(unsigned c) const {
        if (c < COLORS) take_color(words, c);
    }

    // Whether color base + c, within the palette, is taken.
    __device__ __forceinline__ bool has(unsigned c) const { return ((volatile unsigned*)words)[c / 32] >> c % 32 & 1; }

    // The least c that is not taken, or −1, for all threads; the group calls.
    __device__ __forceinline__ int least() const {
        Group::sync();
        if constexpr (WORDS <= WARP) {  // each warp finds the color by itself
            const int lane = threadIdx.x % WARP;
            const int answer = least_free_of_lanes(lane < WORDS ? ((volatile unsigned*)words)[lane] : ~0u);
            if (Group::SIZE > WARP) Group::sync();
            return answer;
        } else {
            unsigned own = NO_COLOR;
            for (int w = Group::lane(); w < WORDS && own == NO_COLOR; w += Group::SIZE) {
                const unsigned word = ((volatile unsigned*)words)[w];
                if (word != ~0u) own = w * 32 + least_free(word);
            }
            own = Group::template reduce<Least>(own);
            return own == NO_COLOR ? -1 : (int)own;
        }
    }
};
