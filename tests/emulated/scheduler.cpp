// Runs the threads of a grid as fibers of one thread of the CPU. A thread that waits at a barrier is not resumed before the
// barrier is complete, so that waiting costs nothing. Several blocks are resident at a time; shared memory, which is static
// memory of the kernel's library, is swapped when the block changes.
//
// Without a seed, threads run in turn, each until it waits or has polled long. With one, any thread of any resident block
// may be next at each relaxed access, atomic and barrier. That is sequential consistency in all interleavings that a seed
// can reach: a missing fence is not found, a missing barrier or an update that is no atomic is.
#include "scheduler.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <mutex>
#include <unordered_map>
#include <vector>

Dim threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {
unsigned running;
unsigned long long slots[MOST_LANES];

namespace {
const size_t STACK = 1 << 17;
const unsigned PATIENCE = 64;  // accesses of a thread before another takes its turn, without a seed
const unsigned long long IDLE = 1ull << 24;  // accesses in a row that change nothing

enum Ended { STUCK = 1, POLLS, WRONG_MASK, UNDEFINED, DONE };
enum State : unsigned char { READY, WAITS, FINISHED };
struct Meeting { unsigned mask, arrived, warp; };

struct Fiber {
    jmp_buf at;
    bool made = false;
    State state = FINISHED;
    const void *waits_for = nullptr;
};
struct Block {
    unsigned index = 0, alive = 0;
    unsigned of = 0;  // which launch
    Meeting all{};
    std::vector<unsigned> live;     // lanes of each warp that have not finished
    std::vector<Meeting> of_lanes;  // one for each warp and mask that is in use
    std::vector<char> shared;       // while another block runs
    std::unordered_map<const void *, unsigned long long> kept;  // what L1 has; of the slot, for a launch
};

Fiber fibers[MOST_LANES];
char *stacks;
jmp_buf finished_all;
ucontext_t maker;
std::vector<Block> blocks;
Launch launch;  // the first
std::vector<Launch> launches;
std::vector<unsigned> next_block;  // of each launch
unsigned in_memory;  // the slot whose shared memory is in place
unsigned slot_count, alive, polls, period;
unsigned long long random_state, idle;

unsigned long long draw() {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

size_t shared_bytes() { return launch.shared_end - launch.shared; }

void put_in_place(unsigned slot) {
    if (slot == in_memory) return;
    memcpy(blocks[in_memory].shared.data(), launch.shared, shared_bytes());
    memcpy(launch.shared, blocks[slot].shared.data(), shared_bytes());
    in_memory = slot;
}

// The next block of the grid in a slot; false where none is left. Its shared memory is in place.
bool begin_block(unsigned slot) {
    Block &b = blocks[slot];
    if (next_block[b.of] == launches[b.of].grid) return false;
    b.index = next_block[b.of]++;
    b.alive = launch.block;
    b.all = {};
    b.of_lanes.clear();
    b.live.clear();
    for (unsigned t = 0; t < launch.block; t += LANES)
        b.live.push_back(launch.block - t < LANES ? (1u << (launch.block - t)) - 1 : ~0u);
    memset(launch.shared, launch.poison, shared_bytes());
    for (unsigned t = 0; t < launch.block; t++) fibers[slot * launch.block + t].state = READY;
    alive += launch.block;
    return true;
}

[[noreturn]] void give_up(int why) {
    for (unsigned f = 0; f < slot_count * launch.block; f++) fibers[f].made = false;  // left where they are
    _longjmp(finished_all, why);
}

// What a thread reads of where it is.
void put_place(unsigned slot, unsigned me) {
    blockIdx.x = blocks[slot].index;
    gridDim.x = launches[blocks[slot].of].grid;
    threadIdx.x = me % launch.block;
}

[[noreturn]] void live(unsigned me);

void start(unsigned f) {
    static ucontext_t context;
    Fiber &fiber = fibers[f];
    fiber.made = true;
    getcontext(&context);
    context.uc_stack.ss_sp = stacks + f * STACK;
    context.uc_stack.ss_size = STACK;
    makecontext(&context, (void (*)())live, 1, f);
    setcontext(&context);
}

// Goes on with a thread; comes back when the running one is resumed.
void resume(unsigned f) {
    const unsigned me = running;
    if (f == me && fibers[f].state == READY) return;
    if (_setjmp(fibers[me].at)) {
        running = me;
        const unsigned slot = me / launch.block;
        put_in_place(slot);
        put_place(slot, me);
        return;
    }
    if (fibers[f].made) _longjmp(fibers[f].at, 1);
    start(f);
}

// A thread that can go on: the next in turn, or any.
unsigned choose() {
    const unsigned n = slot_count * launch.block;
    unsigned f = running;
    if (launch.seed) {
        unsigned slot = running / launch.block;
        if (draw() % 8 == 0) slot = draw() % slot_count;  // a change of the block copies its shared memory
        f = slot * launch.block + draw() % launch.block;
        if (fibers[f].state == READY) return f;
    }
    for (unsigned i = 0; i < n; i++) {
        if (++f >= n) f = 0;
        if (fibers[f].state == READY) return f;
    }
    give_up(STUCK);
}

const void *name_of(unsigned warp, unsigned mask) { return (void *)(uintptr_t)(((uint64_t)warp << 32 | mask) * 2 + 1); }

void release(const void *meeting, unsigned first, unsigned count) {
    for (unsigned f = first; f < first + count; f++)
        if (fibers[f].state == WAITS && fibers[f].waits_for == meeting) fibers[f].state = READY;
}

// The running thread has come to a meeting that `expected` threads among `count` from `first` on must come to.
void meet(Meeting &m, const void *name, unsigned expected, unsigned first, unsigned count) {
    idle = 0;
    if (++m.arrived >= expected) {
        m.arrived = 0;
        release(name, first, count);
        if (launch.seed) resume(choose());
        return;
    }
    fibers[running].state = WAITS;
    fibers[running].waits_for = name;
    resume(choose());
}

void finish() {
    const unsigned me = running, slot = me / launch.block;
    Block &b = blocks[slot];
    fibers[me].state = FINISHED;
    b.alive--;
    alive--;
    const unsigned t = me % launch.block, warp = me - t % LANES;
    b.live[t / LANES] &= ~(1u << t % LANES);
    idle = 0;
    if (b.alive && b.all.arrived >= b.alive) {  // the others wait at a barrier for those that are left
        b.all.arrived = 0;
        release(&b, slot * launch.block, launch.block);
    }
    for (Meeting &m : b.of_lanes) {  // none of a warp's meetings waits for who is gone
        if (m.warp != warp || !m.arrived) continue;
        if (m.arrived >= (unsigned)__builtin_popcount(m.mask & b.live[t / LANES])) {
            m.arrived = 0;
            release(name_of(warp, m.mask), warp, LANES);
        }
    }
    if (!b.alive) begin_block(slot);
    if (alive) return resume(choose());
    if (!_setjmp(fibers[me].at)) _longjmp(finished_all, DONE);
}

void live(unsigned me) {
    for (;;) {
        running = me;
        const unsigned slot = me / launch.block;
        put_in_place(slot);
        put_place(slot, me);
        launch.body(launches[blocks[slot].of].arguments);
        finish();
    }
}
}  // namespace

unsigned live_lanes() { return blocks[running / launch.block].live[running % launch.block / LANES]; }

void turn() {
    if (++idle > IDLE) give_up(POLLS);
    if (launch.seed ? draw() % period : ++polls < PATIENCE) return;
    polls = 0;
    resume(choose());
}

void progress() { idle = 0; }

unsigned long long first_seen(const void *at, unsigned long long now) {
    return blocks[running / launch.block].kept.emplace(at, now).first->second;
}
void stored(const void *at) { blocks[running / launch.block].kept.erase(at); }
void fence() { blocks[running / launch.block].kept.clear(); }

void meet_block() {
    Block &b = blocks[running / launch.block];
    meet(b.all, &b, b.alive, running / launch.block * launch.block, launch.block);
}

void meet_lanes(unsigned mask) {
    Block &b = blocks[running / launch.block];
    const unsigned t = running % launch.block, warp = running - t % LANES;
    if (!(mask >> (t % LANES) & 1)) give_up(WRONG_MASK);
    const unsigned expected = __builtin_popcount(mask & b.live[t / LANES]);
    Meeting *found = nullptr;
    for (Meeting &m : b.of_lanes)
        if (m.mask == mask && m.warp == warp) found = &m;
    if (!found) {
        for (Meeting &m : b.of_lanes)
            if (!m.arrived) found = &m;
        if (!found) {
            b.of_lanes.push_back({});
            found = &b.of_lanes.back();
        }
        *found = {mask, 0, warp};
    }
    const unsigned in_warp = launch.block - (t - t % LANES);
    meet(*found, name_of(warp, mask), expected, warp, in_warp < LANES ? in_warp : LANES);
}
}  // namespace emulator

// What the sanitizer's checks in a kernel call; each is given where it is in the source.
struct Place { const char *file; unsigned line, column; };
static Place undefined_at;
#define HANDLER(name)                                                                                   \
    extern "C" void __ubsan_handle_##name(const Place *place, void *, void *) {                         \
        undefined_at = *place;                                                                          \
        emulator::give_up(emulator::UNDEFINED);                                                         \
    }
HANDLER(add_overflow)
HANDLER(sub_overflow)
HANDLER(mul_overflow)
HANDLER(negate_overflow)
HANDLER(divrem_overflow)
HANDLER(shift_out_of_bounds)
HANDLER(out_of_bounds)
extern "C" unsigned emulator_line() { return undefined_at.line; }

extern "C" int emulator_launch(const emulator::Launch *what, unsigned count) {
    using namespace emulator;
    static std::mutex one_at_a_time;
    std::lock_guard<std::mutex> guard(one_at_a_time);
    if (!stacks)
        stacks = (char *)mmap(nullptr, MOST_LANES * STACK, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    launch = *what;
    launches.assign(what, what + count);
    next_block.assign(count, 0);
    blockDim = {launch.block, 1, 1};
    gridDim = {launch.grid, 1, 1};  // x: put_place
    blockIdx = threadIdx = {};
    random_state = launch.seed * 0x9e3779b97f4a7c15ull + 88172645463325252ull;
    for (int i = 0; i < 4; i++) draw();
    period = launch.seed ? 1u << draw() % 6 : 1;
    if (!random_state) random_state = 1;
    blocks.clear();
    for (unsigned l = 0; l < count; l++)
        for (unsigned i = 0; i < launches[l].resident; i++) {
            blocks.emplace_back();
            blocks.back().of = l;
        }
    slot_count = blocks.size();
    alive = polls = 0;
    idle = 0;
    for (unsigned slot = 0; slot < slot_count; slot++) {
        blocks[slot].shared.resize(shared_bytes());
        in_memory = slot;
        begin_block(slot);
        memcpy(blocks[slot].shared.data(), launch.shared, shared_bytes());
    }
    const int ended = _setjmp(finished_all);
    if (!ended) {  // come back here when all is done
        running = slot_count * launch.block - 1;  // so that the first in turn is 0
        const unsigned first = choose();
        if (fibers[first].made) _longjmp(fibers[first].at, 1);
        start(first);
    }
    memset(launch.shared, 0, shared_bytes());
    return ended == DONE ? 0 : ended;
}
