"""
A round as an ElementwiseKernel of CuPy
=======================================

For anyone who has a GPU that CuPy supports, including AMD's: a round of Luby's coloring (Osama et al. 2019, Algorithm
2) as an ElementwiseKernel, with a thread per vertex. The algorithms ``elementwise_…`` are written in this style.

Install: ``pip install 'lagcolor[cuda13,plot]'``, ``cuda12``, or CuPy for another GPU.
"""

import sys

import lagcolor

try:
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("needs matplotlib: pip install 'lagcolor[plot]', or '.[plot]' in a checkout")
try:
    G = lagcolor.generate.stencil27(12, 12, 1, device="cuda")  # a grid whose cells have both diagonals
except lagcolor.DeviceError as e:
    print(f"nothing to show: {e}")
    sys.exit(0)

import cupy as cp

# %%
# The kernel: whether the weight of a vertex exceeds the weights of all its neighbors. P is the type of the row offsets,
# int32 or int64.

local_maxima = cp.ElementwiseKernel(
    "int32 v, raw P indptr, raw int32 indices, raw int32 weight",
    "bool frontier",
    """
    int max = 0;  // the largest weight of a candidate next to v
    for (P e = indptr[v]; e < indptr[v + 1]; ++e)
        if (weight[indices[e]] > max) max = weight[indices[e]];
    frontier = weight[v] > max;
    """,
    "local_maxima",
)

# %%
# The rounds: the frontier takes a color. Its weight becomes 0, so that it is no longer a candidate.

v, weight = cp.arange(G.n, dtype="int32"), lagcolor.Priorities.of(G, "random", seed=0).p + 1
C, color, after = cp.zeros(G.n, "int32"), 0, []
while weight.any():
    color += 1
    frontier = local_maxima(v, G.indptr, G.indices, weight)
    C[frontier] = color
    weight[frontier] = 0
    after.append(C.get())
assert (lagcolor.color(G, "elementwise_is", seed=0, verify=True).colors == C - 1).all()
print(f"by hand: {color} colors, equal to elementwise_is")

# %%
# Each algorithm in this style gives the colors of an algorithm in another style.

for name, row in lagcolor.ALGORITHMS.items():
    if name.startswith("elementwise_"):
        colors = lagcolor.color(G, name, seed=0).to_numpy()
        assert (colors == lagcolor.color(G.on("cpu"), row.variant_of, seed=0).colors).all()
        print(f"{name}: {colors.max() + 1} colors, equal to {row.variant_of}")

# %%
# A picture: the colors after some rounds.

fig, axes = plt.subplots(1, 4, figsize=(12, 3.3), layout="constrained")
for ax, k in zip(axes, (1, 2, 4, color), strict=True):
    cells = after[k - 1].reshape(12, 12)
    ax.imshow(cells, cmap=plt.get_cmap("tab20").with_extremes(under="white"), vmin=1, vmax=20)
    ax.set(title=f"{(cells > 0).sum()} of {G.n} colored after round {k}", xticks=[], yticks=[])
fig.savefig("elementwise_kernels.png")

# %%
# Result: 18 cells have a color after one round, 60 after four, all 144 after fifteen. The kernels of Algorithms 3 and 4
# need 7 to 11 colors. For the site, the kernels run on an emulated GPU.
