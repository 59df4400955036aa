// Types, and accesses to single words of global memory that threads share.
//
// load_relaxed, store_relaxed: relaxed, device scope (PTX memory model, sm_70 on). They are never torn, bypass
// registers and L1, and are not ordered with other addresses. Callers rely on monotone updates of this one word; a grid
// barrier or the end of the kernel publishes all other data. Any thread may call them at any time. load_unfenced: this
// load, but the compiler may move other memory accesses past it, so that loads of several entries of a row are in
// flight at once. load_near: this load, but L1 may serve it with an older value. It is for words whose older values are
// as good for the caller, or are detected and read again by the other loads. A byte is loaded as a word, because
// narrowing would cost an instruction per load. With SYSTEM=1 the scope is the system, for words that other GPUs write
// or own.
//
// No header of CUDA is included, so NVRTC needs only these files.
#pragma once

typedef unsigned char u8;
typedef unsigned long long u64;
typedef long long i64;

#define WARP 32
#define ALL_LANES 0xffffffffu

#ifndef SYSTEM
#define SYSTEM 0
#endif
#if SYSTEM
#define SCOPE "sys"
#else
#define SCOPE "gpu"
#endif
#ifdef __CUDA_ARCH__
#define SHARED_WORD(T, Register, ptx, constraint)                                                               \
    __device__ __forceinline__ Register load_relaxed(const T* at) {                                             \
        Register x;                                                                                             \
        asm volatile("ld.relaxed." SCOPE ".global." ptx " %0, [%1];" : "=" constraint(x) : "l"(at) : "memory"); \
        return x;                                                                                               \
    }                                                                                                           \
    __device__ __forceinline__ Register load_unfenced(const T* at) {                                            \
        Register x;                                                                                             \
        asm volatile("ld.relaxed." SCOPE ".global." ptx " %0, [%1];" : "=" constraint(x) : "l"(at));            \
        return x;                                                                                               \
    }                                                                                                           \
    __device__ __forceinline__ Register load_near(const T* at) {                                                \
        Register x;                                                                                             \
        asm volatile("ld.relaxed.cta.global." ptx " %0, [%1];" : "=" constraint(x) : "l"(at));                  \
        return x;                                                                                               \
    }                                                                                                           \
    __device__ __forceinline__ void store_relaxed(T* at, Register x) {                                          \
        asm volatile("st.relaxed." SCOPE ".global." ptx " [%0], %1;" ::"l"(at), constraint(x) : "memory");      \
    }
#else
#define SHARED_WORD(T, Register, ptx, constraint)                              \
    inline Register load_relaxed(const T* at) { return emulated_load(at); }    \
    inline Register load_unfenced(const T* at) { return emulated_load(at); }   \
    inline Register load_near(const T* at) { return emulated_near(at); }       \
    inline void store_relaxed(T* at, Register x) { emulated_store(at, (T)x); }
#endif
SHARED_WORD(int, int, "s32", "r")
SHARED_WORD(unsigned, unsigned, "u32", "r")
SHARED_WORD(u64, u64, "u64", "l")
SHARED_WORD(u8, unsigned, "u8", "r")
