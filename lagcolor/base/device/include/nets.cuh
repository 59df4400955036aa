// Vertices and nets of distance-2 problems, as in graph/nets.py. Two vertices of one net may not share a color.
#pragma once
#include "base/device/include/common.cuh"

struct Nets {
    const offset_t* __restrict__ nets;  // offsets of the nets of each vertex
    const int* __restrict__ net;
    const offset_t* __restrict__ members;  // offsets of the vertices of each net
    const int* __restrict__ member;
    int closed;  // whether net v also contains vertex v
};
