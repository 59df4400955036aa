// variants: WIDTH=32 N_WORDS=1,16,32,64
// variants: WIDTH=256 N_WORDS=32,64,256
// The least color that is not among `colors`, by a Palette, window by window, for two lists after each other; and the
// functions of single words.
#include "base/device/include/palette.cuh"

typedef Threads<WIDTH> Group;

static __device__ int least(const int* colors, long long count, unsigned* words, int* windows) {
    const Palette<Group, N_WORDS> palette = {words};
    for (unsigned base = 0;; base += 32 * N_WORDS) {
        palette.clear();
        for (long long i = Group::lane(); i < count; i += Group::SIZE) palette.take((unsigned)colors[i] - base);
        const int answer = palette.least();
        if (Group::lane() == 0) ++*windows;
        if (answer >= 0) return (int)base + answer;
    }
}

// answers, of a place for each thread, have what each received; windows: how many were looked at.
extern "C" __global__ void of_lists(const int* first, long long n_first, const int* second, long long n_second, int* answers,
                                    int* windows) {
    __shared__ unsigned words[N_WORDS];
    answers[2 * threadIdx.x] = least(first, n_first, words, windows);
    answers[2 * threadIdx.x + 1] = least(second, n_second, words, windows + 1);
}

extern "C" __global__ void of_words(const unsigned* narrow, const u64* wide, int* of_narrow, int* of_wide, int* of_lanes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    of_narrow[i] = least_free(narrow[i]);
    of_wide[i] = least_free(wide[i]);
    of_lanes[i] = least_free_of_lanes(narrow[i]);
}

extern "C" __global__ void taken(const int* colors, unsigned* words) {
    __shared__ unsigned shared[32];
    if (threadIdx.x < 32) shared[threadIdx.x] = 0;
    __syncthreads();
    take_color(shared, colors[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < 32) words[threadIdx.x] = shared[threadIdx.x];
}
