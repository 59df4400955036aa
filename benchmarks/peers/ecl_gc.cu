// ECL-GC v1.2: the three kernels of its CUDA source, timed by its own events, on a graph that is on the GPU before.
#define clockRate warpSize  // its main() prints two rates that CUDA 13 no longer has
#define memoryClockRate warpSize
#define main main_of_ecl_gc
#include <ECL-GC_12.cu>
#undef main

#include "driver.hpp"

static int* array(std::size_t count, const int* host = nullptr) {
    int* device = nullptr;
    if (cudaMalloc(&device, (count + 1) * sizeof(int)) != cudaSuccess) throw std::runtime_error("no memory on the GPU");
    if (host) cudaMemcpy(device, host, count * sizeof(int), cudaMemcpyHostToDevice);
    return device;
}

int main(int, char** argv) {
    const driver::Csr g(argv[1]);
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, Device);
    const int blocks = device.multiProcessorCount * device.maxThreadsPerMultiProcessor / ThreadsPerBlock;
    for (auto kernel : {(const void*)init, (const void*)runLarge, (const void*)runSmall})
        cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1);
    int *nidx = array(g.n + 1, g.indptr.data()), *nlist = array(g.m, g.indices.data()), *nlist2 = array(g.m);
    int *posscol = array(g.n), *posscol2 = array(g.m / WS + 1), *color = array(g.n), *wl = array(g.n);
    const auto run = [&] {
        driver::Run run;
        GPUTimer timer;
        timer.start();
        init<<<blocks, ThreadsPerBlock>>>(g.n, g.m, nidx, nlist, nlist2, posscol, posscol2, color, wl);
        runLarge<<<blocks, ThreadsPerBlock>>>(g.n, nidx, nlist2, posscol, posscol2, color, wl);
        runSmall<<<blocks, ThreadsPerBlock>>>(g.n, nidx, nlist, posscol, color);
        run.color_ms = 1e3 * timer.stop();
        CheckCuda();
        run.colors.resize(g.n);
        cudaMemcpy(run.colors.data(), color, g.n * sizeof(int), cudaMemcpyDeviceToHost);
        return run;
    };
    return driver::serve({{"ecl_gc", run}}, "1.2", false);
}
