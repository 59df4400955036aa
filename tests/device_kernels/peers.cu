// Words of one GPU's range, each to the GPUs that have an id between two others.
#include "base/device/include/peers.cuh"

extern "C" __global__ void push_words(int n, const int* ids, const int* low, const int* high, const unsigned* words,
                                      const u64* table, unsigned* stopped) {
    const Peers<unsigned> peers = {table};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) peers.push(ids[i], words[i], low[i], high[i]);
    if (i == 0) stopped[0] = peers.stopped(), stopped[1] = peers.stopped_after(7), stopped[2] = peers.stopped_after(PEERS_PATIENCE - 1);
}
