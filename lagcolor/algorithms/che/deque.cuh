// The lock-free deque of Tsigas and Cederman (after Arora, Blumofe and Plaxton). Its owner pops at the tail; other
// blocks steal at the head with compare-and-swap. All elements are stored before the first pop; none is pushed later.
//
// head: position of the first remaining element; tail: one past the last. Between two refills head only grows and tail
// only falls. No value of either returns, so the paper's tag is not needed. Unlike in the paper, head must not return
// to 0 when the owner finds the deque empty. Stores are weakly ordered, so a thief could see the new head with the old
// tail and take elements a second time.
//
// Owner and thief compete only for the last element. The owner writes the tail and then reads the head; a thief reads
// the head and then the tail. A fence (sequentially consistent, device scope) separates the two accesses of each, so at
// least one sees the other, and compare-and-swap on the head decides.
#pragma once

#define EMPTY -1
#define LOST -2  // another block took the element first; try again

struct Deques {
    u64 *heads, *tails;
    int* elements;
    i64 capacity;  // elements per deque
};

static __device__ __forceinline__ bool looks_empty(const Deques& d, int owner) {
    const u64 head = load_relaxed(d.heads + owner);
    return load_relaxed(d.tails + owner) <= head;
}

static __device__ __forceinline__ int steal(const Deques& d, int victim) {
    const u64 head = load_relaxed(d.heads + victim);
    __threadfence();
    if (load_relaxed(d.tails + victim) <= head) return EMPTY;
    const int element = d.elements[victim * d.capacity + (i64)head];
    return atomicCAS(d.heads + victim, head, head + 1) == head ? element : LOST;
}

static __device__ __forceinline__ int pop(const Deques& d, int owner) {
    const u64 last = load_relaxed(d.tails + owner) - 1;
    if (last == ~0ull) return EMPTY;
    store_relaxed(d.tails + owner, last);
    __threadfence();
    const int element = d.elements[owner * d.capacity + (i64)last];
    const u64 head = load_relaxed(d.heads + owner);
    if (last > head) return element;
    store_relaxed(d.tails + owner, 0);  // the deque is empty, no matter which block takes the last element
    return last == head && atomicCAS(d.heads + owner, head, head + 1) == head ? element : EMPTY;
}
