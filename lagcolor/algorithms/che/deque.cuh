// The lock-free deque of Tsigas and Cederman (after Arora, Blumofe and Plaxton): its owner pops at the tail, anyone
// steals at the head with compare-and-swap. Elements are filled in before anybody takes one, none is pushed later.
//
// head: the first element that is left; tail: one past the last. Between two refills head only grows and tail only
// falls, so no value of either comes back, and the paper's tag is not needed. Head must not go back to 0 when the owner
// finds the deque empty, as there: a thief who saw the new head and, stores being weakly ordered, still the old tail
// would take elements a second time.
//
// Owner and thief meet over the last element only. The owner lowers the tail and then reads the head, a thief reads the
// head and then the tail, with a fence (sequentially consistent, device scope) between each two: so one of them sees
// the other, and compare-and-swap on the head decides.
#pragma once

#define EMPTY -1
#define LOST -2  // another was quicker: worth another look

struct Deques {
    u64 *heads, *tails;
    int* elements;
    i64 room;  // elements of a deque
};

static __device__ __forceinline__ bool looks_empty(const Deques& d, int owner) {
    const u64 head = load_relaxed(d.heads + owner);
    return load_relaxed(d.tails + owner) <= head;
}

static __device__ __forceinline__ int steal(const Deques& d, int victim) {
    const u64 head = load_relaxed(d.heads + victim);
    __threadfence();
    if (load_relaxed(d.tails + victim) <= head) return EMPTY;
    const int element = d.elements[victim * d.room + (i64)head];
    return atomicCAS(d.heads + victim, head, head + 1) == head ? element : LOST;
}

static __device__ __forceinline__ int pop(const Deques& d, int owner) {
    const u64 last = load_relaxed(d.tails + owner) - 1;
    if (last == ~0ull) return EMPTY;
    store_relaxed(d.tails + owner, last);
    __threadfence();
    const int element = d.elements[owner * d.room + (i64)last];
    const u64 head = load_relaxed(d.heads + owner);
    if (last > head) return element;
    store_relaxed(d.tails + owner, 0);  // it will be empty, whichever block takes the last element
    return last == head && atomicCAS(d.heads + owner, head, head + 1) == head ? element : EMPTY;
}
