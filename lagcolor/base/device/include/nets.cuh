// Vertices and nets: what distance-2 problems color, as in graph/nets.py. Two vertices of one net may not share a color.
#pragma once
#include "base/device/include/common.cuh"

struct Nets {
    const offset_t* __restrict__ nets;  // of a vertex
    const int* __restrict__ net;
    const offset_t* __restrict__ members;  // of a net
    const int* __restrict__ member;
    int closed;  // net v has vertex v as well
};
