"""
Pauli strings in few measurements
=================================

For anyone who runs quantum programs: a Hamiltonian is a sum of Pauli strings, and strings that commute can be
measured at once. Strings are vertices, edges join strings that do not commute, and colors are measurements. The
edges are not stored.
"""

# sphinx_gallery_thumbnail_path = "_static/thumbnails/pauli_groups.svg"
import numpy as np

from lagcolor import pauli

# %%
# The Heisenberg model on a ring of eight spins, in a field along x.
n = 8
terms: dict[str, float] = {}
for i in range(n):
    for letter in "XYZ":
        string = ["I"] * n
        string[i] = string[(i + 1) % n] = letter
        terms["".join(string)] = 1.0
    terms["I" * i + "X" + "I" * (n - 1 - i)] = 0.5

# %%
# Three kinds of groups.

for commute in ("qubitwise", "general", "anti"):
    result = pauli.group(terms, commute)
    print(f"{commute}: {result.n_groups} groups of {len(terms)} strings")
    assert result.n_groups == {"qubitwise": 3, "general": 3, "anti": 16}[commute]

# %%
# The measurement of each group that commutes qubit by qubit: one axis per qubit.

for members in pauli.group(terms).labeled():
    setting = ["".join({string[k] for string in members} - {"I"}) or "-" for k in range(n)]
    print(f"measure {''.join(setting)} for {len(members)} strings, e.g. {members[0]}")
    assert all(len(letter) == 1 for letter in setting)

# %%
# Twenty thousand strings as bits, x and z of each qubit.
bits = np.random.default_rng(0).integers(0, 2, (2, 20_000, 16)).astype(bool)
result = pauli.group((bits[0], bits[1]), "general")
print(f"random: {result}")
assert result.n_groups < 2000

# %%
# Result: three settings instead of 32 for the Heisenberg model, and 1,590 groups of 20,000 random strings.
