"""
A timetable with rules
======================

For anyone who schedules: exams are vertices, slots are colors, and two exams that a student takes may not be in one
slot. Some slots are given, some are not possible, and the hall has so many seats.
"""

import csv
import sys
from itertools import combinations
from pathlib import Path

import networkx as nx

import lagcolor

SLOTS = ["Mon 9:00", "Mon 14:00", "Tue 9:00", "Tue 14:00", "Wed 9:00", "Wed 14:00"]
SEATS = 20
FIXED = {"Statistics": "Tue 9:00", "Latin": "Mon 9:00"}
NOT_POSSIBLE = {"Logic": ["Mon 9:00", "Mon 14:00"], "Drawing": ["Wed 9:00", "Wed 14:00"]}

# %%
# Two exams conflict where a student takes both.

with open(Path(sys.argv[0]).parent / "data" / "exams.csv", newline="") as f:
    entries = [(row["student"], row["exam"]) for row in csv.DictReader(f)]
students = {exam: {s for s, e in entries if e == exam} for exam in sorted({exam for _, exam in entries})}
conflicts = nx.Graph()
conflicts.add_nodes_from(students)
conflicts.add_edges_from((a, b) for a, b in combinations(students, 2) if students[a] & students[b])

# %%
# The rules: `fixed` and `forbidden` take exams by name, `capacity` is the number of seats, `weights` are the students.

slot = {name: i for i, name in enumerate(SLOTS)}
result = lagcolor.color(
    conflicts, max_colors=len(SLOTS), capacity=SEATS, weights={exam: len(who) for exam, who in students.items()},
    fixed={exam: slot[name] for exam, name in FIXED.items()},
    forbidden={exam: [slot[name] for name in names] for exam, names in NOT_POSSIBLE.items()},
)  # fmt: skip
print(f"{len(students)} exams, {conflicts.number_of_edges()} conflicts: {result.n_used} slots, each rule kept")
assert result.verified
for name, seats in zip(SLOTS, result.class_weights, strict=False):
    exams = [exam for exam, color in result.to_dict().items() if SLOTS[color] == name]
    print(f"{name:10} {seats:3} of {SEATS} seats: {', '.join(exams)}")

# %%
# Seen: 16 exams in 6 slots. No student has two exams at once, the given slots are kept, and no slot has more than 20
# students.
