"""
Independent sets in the operations of semirings
===============================================

For anyone who writes algorithms as linear algebra: the three GraphBLAS colorings of Osama et al. 2019, Algorithms 2 to
4. Each round finds an independent set; the algorithms differ in its color. The same code runs on a CPU and on a GPU.

Install: ``pip install 'lagcolor[graphblas,plot]'``.
"""

import sys

import lagcolor
import semirings as sr

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[graphblas,plot]', or '.[graphblas,plot]' in a checkout")

# %%
# A round: the frontier consists of the candidates whose weight exceeds the weights of all their neighbors. It takes a
# color.


def local_maxima(E, A, weight):
    max = E.vxm(weight, A, sr.max_times, mask=weight)  # max⟨weight⟩ = weightᵀ max.× A
    return E.ewise_add(sr.gt, weight, max)  # frontier = weight > max


def take(E, C, weight, frontier, color):
    E.assign(C, color, mask=frontier)  # C⟨frontier⟩ = color
    E.assign(weight, 0, mask=frontier)  # weight⟨frontier⟩ = 0: no longer candidates


# %%
# Algorithm 2: a new color for each set.


def luby_is(E, A, weight, C, color=0):
    while E.any(weight):
        color += 1
        take(E, C, weight, local_maxima(E, A, weight), color)


# %%
# Algorithm 3: a set grows until no vertex fits. The neighbors of its vertices wait for the next color.


def luby_mis(E, A, first, C, color=0):
    while E.any(weight := E.where(C, 0, first)):  # weight = the first weights where C = 0
        color += 1
        while E.any(weight):
            frontier = local_maxima(E, A, weight)
            take(E, C, weight, frontier, color)
            E.assign(weight, 0, mask=E.vxm(frontier, A, sr.lor_land, mask=weight))  # weight⟨nbr⟩ = 0


# %%
# Algorithm 4: the set takes the least color that no neighbor has; n has the colors of the neighbors.


def jones_plassmann_gb(E, A, weight, C):
    while E.any(weight):
        frontier = local_maxima(E, A, weight)
        n = E.to_numpy(E.apply(sr.identity, C, mask=E.vxm(frontier, A, sr.lor_land, mask=C)))
        take(E, C, weight, frontier, min(set(range(1, n.max() + 2)) - {*n}))


# %%
# Each one gives the colors of the library's algorithm. A picture of these on a grid with both diagonals:

G, found = lagcolor.generate.stencil27(12, 12, 1), []
p = lagcolor.Priorities.of(G, "random", seed=0).p
E = sr.engine("cupyx" if lagcolor.has_gpu() else "cpu")
fig, axes = plt.subplots(1, 3, figsize=(12, 4.3), layout="constrained")
for ax, color in zip(axes, (luby_is, jones_plassmann_gb, luby_mis), strict=True):
    C = E.zeros(G.n)
    color(E, E.matrix(G.indptr, G.indices, symmetric=True), E.from_numpy(p + 1), C)
    found.append(E.to_numpy(C) - 1)
    assert (found[-1] == lagcolor.color(G, color.__name__, seed=0, verify=True).colors).all()
    ax.imshow(found[-1].reshape(12, 12), cmap="tab20", vmin=0, vmax=19)
    ax.set(title=f"{color.__name__}: {found[-1].max() + 1} colors", xticks=[], yticks=[])
    print(f"{ax.get_title()}, as in the library")
fig.savefig("luby_by_hand.png")

# %%
# Algorithm 4 finds the sets of Algorithm 2, and gives some of them the same color. Algorithm 3 is first-fit.

assert len({*zip(*found[:2], strict=True)}) == found[0].max() + 1 > found[1].max() + 1
assert (found[2] == lagcolor.color(G, "greedy", "random", seed=0).colors).all()

# %%
# Result: 15, 11 and 7 colors. Algorithm 4 gives four of the 15 sets the color of another set.
