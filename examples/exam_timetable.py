"""Put exams into as few slots as we can, so that no student sits two at once: exams are vertices, slots are colors."""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np

import lagcolor

with open(Path(__file__).parent / "data" / "exams.csv", newline="") as f:
    entries = [(row["student"], row["exam"]) for row in csv.DictReader(f)]

exams = sorted({exam for _, exam in entries})
number = {exam: i for i, exam in enumerate(exams)}
taken: dict[str, list[int]] = {}
for student, exam in entries:
    taken.setdefault(student, []).append(number[exam])

# Two exams conflict when a student takes both; a pair may come up often, and is one edge.
conflicts = [pair for mine in taken.values() for pair in combinations(mine, 2)]
G = lagcolor.Graph.of(np.array(conflicts).T, n=len(exams))

result = lagcolor.color(G, "dsatur")
print(f"{len(exams)} exams, {G.n_edges} conflicts, {len(taken)} students: {result.n_colors} slots")
for slot in range(result.n_colors):
    print(f"slot {slot + 1}: {', '.join(exam for exam, c in zip(exams, result.colors, strict=True) if c == slot)}")

for student, mine in taken.items():
    assert len({int(result.colors[e]) for e in mine}) == len(mine), f"{student} has two exams in a slot"
