"""
A timetable with rules
======================

For anyone who schedules exams, such as a registrar: exams are vertices and slots are colors. Two exams that a student
takes cannot be in one slot. Some exams already have a slot, some slots are impossible for an exam, and the rooms
that are open in a slot have a limited number of seats.

Install: ``pip install 'lagcolor[nx,plot]'``.
"""

import csv
import sys
from itertools import combinations
from pathlib import Path

import lagcolor

try:
    import networkx as nx
except ImportError:
    sys.exit("needs matplotlib and NetworkX: pip install 'lagcolor[nx,plot]', or '.[nx,plot]' in a checkout")

SLOTS = ["Mon 9:00", "Mon 14:00", "Tue 9:00", "Tue 14:00", "Wed 9:00", "Wed 14:00"]
ROOMS = {"Hall": 12, "Library": 6, "Room 3": 4}
CLOSED = {"Tue 14:00": ["Library"]}
FIXED = {"Statistics": "Tue 9:00", "Latin": "Mon 9:00"}
NOT_POSSIBLE = {"Logic": ["Mon 9:00", "Mon 14:00"], "Drawing": ["Wed 9:00", "Wed 14:00"]}

# %%
# Two exams conflict if a student takes both.

with open(Path(sys.argv[0]).parent / "data" / "exams.csv", newline="") as f:
    entries = [(row["student"], row["exam"]) for row in csv.DictReader(f)]
students = {exam: {s for s, e in entries if e == exam} for exam in sorted({exam for _, exam in entries})}
conflicts = nx.Graph()
conflicts.add_nodes_from(students)
conflicts.add_edges_from((a, b) for a, b in combinations(students, 2) if students[a] & students[b])

# %%
# The rules: `fixed` and `forbidden` name exams, `capacity` has the number of seats of each slot, and `weights` the
# number of students of each exam. The quality "best" looks for fewer slots until the time limit, or until fewer are
# proved impossible.

slot = {name: i for i, name in enumerate(SLOTS)}
closed = {name: CLOSED.get(name, []) for name in SLOTS}
open_rooms = {name: {room: n for room, n in ROOMS.items() if room not in closed[name]} for name in SLOTS}
result = lagcolor.color(
    conflicts, quality="best", time_limit=1.0,
    capacity=[sum(open_rooms[name].values()) for name in SLOTS],
    weights={exam: len(who) for exam, who in students.items()},
    fixed={exam: slot[name] for exam, name in FIXED.items()},
    forbidden={exam: [slot[name] for name in names] for exam, names in NOT_POSSIBLE.items()},
)  # fmt: skip
assert result.verified
print(f"{len(students)} exams, {conflicts.number_of_edges()} conflicts: {result.n_used} slots, every rule is obeyed")

# %%
# Rooms of a slot: the largest exam takes the largest rooms. An exam may use several rooms.

for name, seats in zip(SLOTS, result.class_weights, strict=False):
    rooms, plan = [room for room, n in open_rooms[name].items() for _ in range(n)], []
    exams = [exam for exam, color in result.to_dict().items() if SLOTS[color] == name]
    for exam in sorted(exams, key=lambda exam: -len(students[exam])):
        mine, rooms = rooms[: len(students[exam])], rooms[len(students[exam]) :]
        plan.append(f"{exam} ({' and '.join(dict.fromkeys(mine))})")
    print(f"{name:10} {seats:3} of {sum(open_rooms[name].values())} seats: {', '.join(plan)}")

# %%
# The exams, in the colors of their slots. A line joins two exams with a common student.

axes = lagcolor.plot.graph(result, labels=True)
axes.set_title("Exams in the colors of their slots", loc="left")

# %%
# Result: 16 exams in 6 slots. No student has two exams at once, fixed exams are in their slots, and no slot has more
# students than seats.
