// Pauli strings, and which of 128 classes (or strings) conflict with one of them; see cuda.py and __init__.py.
//
// RELATION  0 conflict: they anticommute; 1: they commute; 2: different letters at a qubit, neither of them I
// QWORDS    words of x, and of z: ⌈qubits / 32⌉
//
// `half` is the number of qubits rounded up to a multiple of 4; the rows of qubits that are not there are 0.
// A level has rows of 128 bits: `half` of z and `half` of x, then (RELATION 1) one that says which classes have this
// level; for RELATION 2 `half` rows for each of the letters X, Z and Y, of classes that have another one there.
#pragma once
#include "base/device/include/group.cuh"

#define GENERAL 0
#define ANTI 1
#define QUBITWISE 2
#define WIDTH 128  // classes of a row

struct String {
    unsigned word[2 * QWORDS];  // x, then z
};

__device__ __forceinline__ String load(const unsigned* strings, int v) {
    String s;
    for (int w = 0; w < 2 * QWORDS; w++) s.word[w] = strings[(i64)v * (2 * QWORDS) + w];
    return s;
}

__device__ __forceinline__ int rows_per_level(int half) {
    return RELATION == QUBITWISE ? 3 * half : 2 * half + (RELATION == ANTI);
}

// 32 bits of a string, where rows of plane 0, 1, … belong to them.
template <class Words> __device__ __forceinline__ unsigned bits_of(const Words& word, int plane, int w) {
    const unsigned x = word[w], z = word[QWORDS + w];
    if (RELATION == QUBITWISE) return plane == 0 ? x & ~z : plane == 1 ? z & ~x : x & z;
    return plane ? z : x;
}

// The same of the classes that a string is in, or of itself: what its bit in the rows is.
__device__ __forceinline__ unsigned property_of(const unsigned* word, int plane, int w) {
    const unsigned x = word[w], z = word[QWORDS + w];
    if (RELATION == QUBITWISE) return plane == 0 ? z : plane == 1 ? x : x ^ z;
    return plane ? x : z;
}

// Four instructions that a predicate guards, and the predicates of seven rows take one (R2P); a mask took three per row.
__device__ __forceinline__ void combine(int4& sum, const int4 row, unsigned bits, int k) {
    if (!(bits & 1u << k)) return;
    if (RELATION == QUBITWISE) {
        sum.x |= row.x, sum.y |= row.y, sum.z |= row.z, sum.w |= row.w;
    } else {
        sum.x ^= row.x, sum.y ^= row.y, sum.z ^= row.z, sum.w ^= row.w;
    }
}

// Which classes of a level conflict with a string. All lanes of a warp read the same rows.
__device__ __forceinline__ int4 conflicts(const String& s, const int4* rows, int half) {
    int4 sum = make_int4(0, 0, 0, 0);
    if (RELATION == ANTI) sum = rows[2 * half];
    for (int plane = 0; plane < (RELATION == QUBITWISE ? 3 : 2); plane++) {
        for (int w = 0; w < QWORDS; w++) {
            unsigned bits = bits_of(s.word, plane, w);
            const int stop = min(32, half - 32 * w);
            for (int k = 0; k < stop; k += 4, bits >>= 4, rows += 4) {
                const int4 a = rows[0], b = rows[1], c = rows[2], d = rows[3];
                combine(sum, a, bits, 0), combine(sum, b, bits, 1), combine(sum, c, bits, 2), combine(sum, d, bits, 3);
            }
        }
    }
    return sum;
}

// Whether two strings conflict.
__device__ __forceinline__ bool conflict(const String& a, const unsigned* b) {
    unsigned sum = 0;
    for (int w = 0; w < QWORDS; w++) {
        const unsigned xa = a.word[w], za = a.word[QWORDS + w], xb = b[w], zb = b[QWORDS + w];
        if (RELATION == QUBITWISE) sum |= (xa ^ xb | za ^ zb) & (xa | za) & (xb | zb);
        else sum ^= xa & zb ^ za & xb;
    }
    return RELATION == QUBITWISE ? sum != 0 : (__popc(sum) & 1) == (RELATION == GENERAL);
}
