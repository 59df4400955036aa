// In which order the pieces of a sequence are taken in the first round of ipgc.cu.
#pragma once
#include "engines/speculative.cuh"

// Pieces of a sequence are taken in turns: in one turn a piece of each chunk, so that what is in flight together
// lies far apart. Chunks start at a place of their own each, or grids whose rows are a chunk apart would collide.
struct Turns {
    int pieces, log_turns, chunks;
    __device__ Turns(int pieces, int in_flight) : pieces(pieces), log_turns(0) {
        while (pieces >> (log_turns + 1) >= in_flight) log_turns++;
        chunks = (pieces + (1 << log_turns) - 1) >> log_turns;
    }
    __device__ int last() const { return (1 << log_turns) - 1; }
    __device__ int tickets() const { return chunks << log_turns; }
    __device__ int piece(int ticket) const {  // may be past the end
        const int turn = ticket / chunks, chunk = ticket % chunks;
        return (chunk << log_turns) + ((turn + (int)(mix(chunk) >> 8)) & last());
    }
    __device__ int turn(int piece) const { return (piece - (int)(mix(piece >> log_turns) >> 8)) & last(); }
};
