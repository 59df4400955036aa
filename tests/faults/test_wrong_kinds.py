"""Arguments of another kind than they should be: an array, three dimensions, a lone surrogate, two arguments swapped.

Each call is refused by an error of the library, or by a TypeError or ValueError that names the argument.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import lagcolor
from lagcolor import derivatives, mesh, pauli, solvers
from lagcolor.base.errors import LagcolorError
from lagcolor.problems import certificates

EDGES = [(0, 1), (1, 2)]
A = sp.csr_array([[4.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 4.0]])
SURROGATE = "\ud800"


class Verb(NamedTuple):
    """A public function, a right call of it, and the arguments that are replaced by wrong ones."""

    call: Callable[..., Any]
    args: tuple[Any, ...]
    names: tuple[str, ...]  # parameters whose values are names or flags
    others: tuple[str, ...] = ()  # parameters that take an array, but none of three dimensions


COLORS = [0, 1, 0]
VERBS = {
    "color": Verb(
        lagcolor.color, (EDGES,),
        ("problem", "algorithm", "seed", "quality", "time_limit", "device", "symmetrize", "verify", "trace", "partial",
         "threads", "equitable", "max_colors", "distance", "n"),
        ("order", "fixed", "forbidden", "allowed", "capacity", "weights"),
    ),
    "exact": Verb(lagcolor.color, (EDGES, "exact"), ("nodes",)),
    "verify": Verb(
        lagcolor.verify, (EDGES, COLORS), ("errors", "problem", "allow_uncolored", "equitable", "threads"),
        ("coloring", "fixed"),
    ),
    "reduce": Verb(
        lagcolor.reduce, (EDGES, COLORS),
        ("method", "verify", "trace", "device", "symmetrize", "threads"), ("coloring",),
    ),
    "balance": Verb(
        lagcolor.balance, (EDGES, COLORS), ("ratio", "seed", "device", "symmetrize", "verify", "trace"),
        ("coloring", "weights"),
    ),
    "recolor": Verb(
        lagcolor.recolor, (EDGES, COLORS), ("problem", "keep", "seed", "device", "symmetrize", "verify"),
        ("coloring", "changed", "order"),
    ),
    "equitable": Verb(lagcolor.equitable, (EDGES,), ("max_colors",)),
    "color_pairs": Verb(lagcolor.color_pairs, (EDGES, 3), ("of", "balance", "wait", "verify", "threads"), ("pairs",)),
    "color_implicit": Verb(
        lagcolor.color_implicit, (3, lambda u, v: u != v), ("quality", "verify", "time_limit", "device")
    ),
    "jacobian": Verb(
        derivatives.jacobian, (A,), ("partition", "decompression", "algorithm", "problem", "verify"),
        ("coloring", "order"),
    ),
    "hessian": Verb(
        derivatives.hessian, (A,), ("decompression", "algorithm", "verify", "threads"), ("coloring", "order")
    ),
    "decompress": Verb(
        lambda B, uplo="F": derivatives.hessian(A).decompress(B, uplo), (np.ones((3, 3)),), ("uplo",), ("B",)
    ),
    "fd_jacobian": Verb(
        derivatives.fd_jacobian, (lambda x: A @ x, np.ones(3), A),
        ("method", "workers"), ("rel_step", "bounds", "f0"),
    ),
    "color_elements": Verb(
        mesh.color_elements, ([[0, 1, 2], [1, 2, 3]],), ("by", "n_nodes", "balance", "device", "quality", "verify"),
        ("cells",),
    ),
    "pauli": Verb(pauli.group, (["XX", "YY"],), ("relation", "quality", "verify", "device"), ("strings",)),
    "sor": Verb(
        solvers.multicolor_sor, (A,), ("omega", "balance", "block_size", "threads", "storage"), ("coloring",)
    ),
    "certificates": Verb(
        certificates.check, (EDGES, certificates.Certificate("clique", 2, np.array([0, 1]))),
        ("problem", "symmetrize", "effort"), ("certificate",),
    ),
}  # fmt: skip
KINDS: dict[str, Any] = {
    "array": np.array([0, 1, 1]),
    "array of text": np.array(["raise", "auto"]),
    "three dimensions": np.ones((2, 3, 2)),
    "surrogate": SURROGATE,
    "graph": A,
}


def with_argument(verb: Verb, name: str, value: Any) -> Callable[[], Any]:
    """The call with a value for a parameter, also where that is given by position."""
    names = list(inspect.signature(verb.call).parameters)
    args, how = list(verb.args), dict[str, Any]()
    if name in names[: len(args)]:
        args[names.index(name)] = value
    else:
        how[name] = value
    return lambda: verb.call(*args, **how)


def accepted(call: Callable[[], Any], name: str) -> str:
    """Return the fault if a call does not raise an error of the library, or one that names the argument."""
    try:
        call()
    except LagcolorError:
        return ""
    except Exception as e:
        good = isinstance(e, TypeError | ValueError) and name in str(e)
        return "" if good else f"{name}: {type(e).__name__}: {e}"
    return f"{name}: not refused"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", VERBS)
def test_arguments_are_no_other_things(verb: str, kind: str) -> None:
    row = VERBS[verb]
    names = row.names + (row.others if kind in ("three dimensions", "surrogate") else ())
    wrong = [accepted(with_argument(row, name, KINDS[kind]), name) for name in names]
    assert not any(wrong), "\n".join(wrong)


@pytest.mark.parametrize("verb", [lagcolor.verify, lagcolor.reduce, lagcolor.balance, lagcolor.recolor])
def test_swapped_arguments_are_refused(verb: Callable[..., Any]) -> None:
    wrong = []
    for x in (A, nx.path_graph(3), lagcolor.Graph.of(EDGES)):
        for args in ((np.array(COLORS), x), (EDGES, x)):
            wrong.append(accepted(lambda args=args: verb(*args), "colors"))
    assert not any(wrong), "\n".join(wrong)


def test_operands_of_three_dimensions_are_refused() -> None:
    with pytest.raises(lagcolor.GraphError, match=r"operand must be of shape \(3,\) or \(3, k\)"):
        solvers.multicolor_ilu0(A) @ np.ones((2, 3, 2))


def test_colors_in_place_of_an_algorithm_are_refused() -> None:
    for colors in (COLORS, np.array(COLORS), lagcolor.color(EDGES)):
        with pytest.raises(lagcolor.OptionError, match=r"algorithm must be a name.*lagcolor.verify"):
            lagcolor.color(EDGES, colors)


def test_certificates_are_of_pairs_and_have_whole_numbers() -> None:
    certificate = lagcolor.color([(0, 1)]).certificate
    with pytest.raises(lagcolor.OptionError, match="constraints are pairs"):
        certificates.check([(0, 1)], certificate, problem="star")
    for k in (1.5, float("nan"), "a"):
        with pytest.raises(lagcolor.OptionError, match="k of the certificate"):
            certificates.check([(0, 1)], certificates.Certificate("clique", k, np.array([0, 1])))  # type: ignore[arg-type]


def test_a_function_that_no_other_process_can_load() -> None:
    with pytest.raises(lagcolor.OptionError, match=r"workers=1 sends fun to other processes.*leave workers out"):
        derivatives.fd_jacobian(lambda x: A @ x, np.ones(3), A, workers=1)


def test_weights_whose_sum_is_no_float() -> None:
    assert lagcolor.balance(EDGES, [0, 1, 2], weights=[1e308] * 3).n_colors == 3


def test_a_solver_takes_colors_of_its_own_vertices() -> None:
    edges = lagcolor.color(EDGES, problem="edges")
    with pytest.raises(lagcolor.ColoringError, match="colors must have shape"):
        solvers.multicolor_sor(A, coloring=edges)


def test_equitable_colors_of_networkx() -> None:
    import networkx as nx

    for wrong in (np.array([3, 3]), 3.0, "3"):
        with pytest.raises(lagcolor.OptionError, match="num_colors must be a whole number"):
            nx.equitable_color(nx.path_graph(4), wrong, backend="lagcolor")


def test_many_colors_are_read_at_once() -> None:
    """A range is not read number by number, and one that is no color is still named."""
    assert lagcolor.color(EDGES, forbidden={0: range(10**6)}).colors[0] == 10**6
    with pytest.raises(lagcolor.OptionError, match=r"the color of 0 must be a whole number.*not -1"):
        lagcolor.color(EDGES, forbidden={0: range(-1, 5)})
