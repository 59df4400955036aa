"""Residuals of iterative solvers over the work of their iterations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lagcolor.plot.style import HUES, INK, grid_lines

from ..results import Row, of_kind
from .comparison import panels

# Of lines that lie on each other each is seen: those above are thinner, and broken.
DASHES = ("-", "-", (0, (5, 2.5)), (0, (1, 1.2)), "-.", (0, (4, 1.5)))
WIDTHS = (1.4, 2.2, 1.6, 1.6, 1.4, 1.4)


def convergence(records: Sequence[Row]) -> Any:
    """Relative residuals over the entries read, in products with the matrix; a panel per problem."""
    lines = of_kind(records, "measurement")
    problems = list(dict.fromkeys(line["graph"] for line in lines))
    codes = list(dict.fromkeys(line["code"] for line in lines))
    figure, grid = panels(len(problems), 2, 3.6)
    for problem, ax in zip(problems, grid, strict=True):
        mine = [line for line in lines if line["graph"] == problem]
        for line in mine:
            figures, i = line["figures"], codes.index(line["code"])
            work = [step * figures["work"] for step in range(len(figures["residuals"]))]
            name = f"{line['code']}: {len(work) - 1}"
            ax.plot(
                work, figures["residuals"], linestyle=DASHES[i % len(DASHES)], color=HUES[i % len(HUES)],
                linewidth=WIDTHS[i % len(WIDTHS)], label=name,
            )  # fmt: skip
        ax.set_yscale("log")
        ax.set_xlim(left=0)
        ax.set_title(f"{problem}, {mine[0]['n']:,} unknowns", loc="left", fontsize=10, color=INK)
        ax.set_xlabel("entries read, in products with A", fontsize=9)
        ax.set_ylabel("‖b − A x‖ / ‖b‖", fontsize=9)
        title = {"title": "iterations", "title_fontsize": 9, "alignment": "left"}
        ax.legend(
            frameon=False,
            fontsize=7.5,
            loc="upper left",
            bbox_to_anchor=(-0.15, -0.2),
            ncols=2,
            columnspacing=1,
            **title,
        )
        grid_lines(ax)
    return figure
