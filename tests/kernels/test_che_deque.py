"""The deque of che_work_stealing, compiled for the CPU: under weakly ordered memory."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import pytest
from emulated import EMULATED

from lagcolor.algorithms import che

DEQUE = Path(che.__file__).with_name("deque.cuh").read_text().replace("#pragma once", "")


# Fibers, an access to memory a step. A store waits behind the stores of its fiber to the same address, and those to
# different addresses become visible in any order, which only a fence ends: what a GPU may do, and x86 does not.
WEAK_ORDER = r"""
#include <deque>
#include <iterator>
#include <map>
#include <random>
#include <ucontext.h>
#include <vector>
typedef long long i64;
typedef unsigned long long u64;
#define __device__
#define __forceinline__ inline
struct Fiber {
    ucontext_t context;
    char stack[1 << 15];
    bool done;
    std::map<u64*, std::deque<u64>> stores;
};
static ucontext_t scheduler;
static Fiber* me;
static void step() { swapcontext(&me->context, &scheduler); }
static u64 load_relaxed(const u64* at) {
    step();
    const auto own = me->stores.find((u64*)at);
    return own == me->stores.end() ? *at : own->second.back();
}
static void store_relaxed(u64* at, u64 x) {
    step();
    me->stores[at].push_back(x);
}
static void __threadfence() {
    while (!me->stores.empty()) step();
}
static u64 atomicCAS(u64* at, u64 expected, u64 x) {
    do step(); while (me->stores.count(at));
    const u64 old = *at;
    if (old == expected) *at = x;
    return old;
}
%s
static void make_visible(Fiber& f, unsigned which) {
    const auto stores = std::next(f.stores.begin(), which % f.stores.size());
    *stores->first = stores->second.front();
    stores->second.pop_front();
    if (stores->second.empty()) f.stores.erase(stores);
}
static Deques d;
static bool owns;
static std::vector<int> taken;
static void take_all() {
    const bool mine = owns;
    while (true) {
        const int element = mine ? pop(d, 0) : looks_empty(d, 0) ? EMPTY : steal(d, 0);
        if (element >= 0) taken[element]++;
        else if (element == EMPTY) break;
    }
    me->done = true;
    step();
}
extern "C" int contend(int n_fibers, int n_elements, int turns) {
    int wrong = 0;
    u64 head = 0, tail = 0;
    std::vector<int> elements;
    for (int i = 0; i < n_elements; i++) elements.push_back(i);
    std::vector<Fiber> fibers(n_fibers);
    d = {&head, &tail, elements.data(), n_elements};
    for (int turn = 0; turn < turns; turn++) {
        std::mt19937 random(turn);
        taken.assign(n_elements, 0);
        me = &fibers[0];
        for (Fiber& f : fibers) {
            f.done = false;
            getcontext(&f.context);
            f.context.uc_stack.ss_sp = f.stack;
            f.context.uc_stack.ss_size = sizeof f.stack;
            makecontext(&f.context, take_all, 0);
        }
        head = 0, tail = n_elements;  // what refill leaves after a meeting
        for (int i = 0; i < n_fibers; i++) {  // up to the first access
            me = &fibers[i], owns = i == 0;
            swapcontext(&scheduler, &me->context);
        }
        for (int busy = n_fibers; busy > 0;) {
            Fiber& f = fibers[random() % n_fibers];
            if (!f.stores.empty() && random() % 4 == 0) make_visible(f, random());
            else if (!f.done) {
                me = &f;
                swapcontext(&scheduler, &f.context);
                busy -= f.done;
            }
        }
        for (Fiber& f : fibers)
            while (!f.stores.empty()) make_visible(f, 0);
        for (const int count : taken) wrong += count != 1;
    }
    return wrong;
}
"""


def contend_in(folder: Path, deque: str = DEQUE) -> Any:
    """The harness with the text of the deque in it, compiled: how many elements were not taken once."""
    source, library = folder / "deque.cpp", folder / "deque.so"
    source.write_text(WEAK_ORDER.replace("%s", deque))
    flags = ["-std=c++17", "-O2", "-w", "-fPIC", "-shared"]
    subprocess.run(["g++", *flags, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library)).contend


@EMULATED
def test_deque_of_the_kernel_under_weak_order(tmp_path: Path) -> None:
    """Whenever its stores become visible, no element is lost, none taken twice."""
    contend = contend_in(tmp_path)
    for fibers in (1, 2, 3):
        for elements in (1, 2, 3, 5):
            assert contend(fibers, elements, 1500) == 0


@EMULATED
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("last);\n    __threadfence();", "last);"),
        ("head, head + 1) == head ? element : EMPTY", "head, 0) == head ? element : EMPTY"),
    ],
    ids=["no fence", "back to 0"],
)
def test_weak_order_shows_errors(tmp_path: Path, old: str, new: str) -> None:
    """Without the owner's fence, and with a head that goes back to 0, elements are taken twice."""
    assert old in DEQUE
    assert contend_in(tmp_path, DEQUE.replace(old, new))(3, 3, 4000) > 0
