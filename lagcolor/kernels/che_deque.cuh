// The lock-free deque of Tsigas and Cederman (after Arora, Blumofe and Plaxton): its owner pops at the tail, anyone
// steals at the head with compare-and-swap. Elements are filled in before anybody takes one, none is pushed later.
//
// head: an index in the lower half, in the upper half a tag that grows when the owner empties the deque, so that a thief
// who looked before that fails. tail: one past the last element.
//
// Owner and thief meet over the last element only. The owner lowers the tail and then reads the head, a thief reads
// the head and then the tail, with a fence (sequentially consistent, device scope) between each two: so one of them sees the
// other, and compare-and-swap on the head decides.
#pragma once

#define EMPTY -1
#define LOST -2  // another was quicker: worth another look

struct Deques {
    u64 *heads, *tails;
    int* elements;
    i64 room;  // elements of a deque
};

static __device__ __forceinline__ i64 index_of(u64 head) { return (i64)(head & 0xffffffffu); }

static __device__ __forceinline__ u64 emptied(u64 head) { return ((head >> 32) + 1) << 32; }

// By the owner, before a barrier of all.
static __device__ __forceinline__ void refill(const Deques& d, int owner, i64 count) {
    store_relaxed(d.heads + owner, emptied(load_relaxed(d.heads + owner)));
    store_relaxed(d.tails + owner, (u64)count);
}

static __device__ __forceinline__ bool looks_empty(const Deques& d, int owner) {
    const u64 head = load_relaxed(d.heads + owner);
    return (i64)load_relaxed(d.tails + owner) <= index_of(head);
}

static __device__ __forceinline__ int steal(const Deques& d, int victim) {
    const u64 head = load_relaxed(d.heads + victim);
    __threadfence();
    if ((i64)load_relaxed(d.tails + victim) <= index_of(head)) return EMPTY;
    const int element = d.elements[victim * d.room + index_of(head)];
    return atomicCAS(d.heads + victim, head, head + 1) == head ? element : LOST;
}

static __device__ __forceinline__ int pop(const Deques& d, int owner) {
    const i64 tail = (i64)load_relaxed(d.tails + owner) - 1;
    if (tail < 0) return EMPTY;
    store_relaxed(d.tails + owner, (u64)tail);
    __threadfence();
    const int element = d.elements[owner * d.room + tail];
    const u64 head = load_relaxed(d.heads + owner);
    if (tail > index_of(head)) return element;
    store_relaxed(d.tails + owner, 0);  // it will be empty, whoever takes the last element
    if (tail == index_of(head) && atomicCAS(d.heads + owner, head, emptied(head)) == head) return element;
    store_relaxed(d.heads + owner, emptied(head));
    return EMPTY;
}
