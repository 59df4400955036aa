"""Colors of elements and bodies in one launch equal the colors of a CPU, in every schedule of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from device_library import ENGINES
from meshes import tetrahedra

import lagcolor
import lagcolor.base.device as dev
from lagcolor.engines.elements import cuda, sorted_rows
from lagcolor.mesh import color_elements, color_facets, color_nodes, edges, facets

pytestmark = pytest.mark.inner

RANDOM = np.random.default_rng(5)
ELEMENTS = {  # name → nodes, number of nodes
    "none": (np.empty((0, 4), np.int32), 3),
    "one": (np.array([[0, 1, 2]]), 3),
    "path": (np.stack((np.arange(99), np.arange(1, 100)), axis=1), 100),
    "star": (np.stack((np.zeros(70, int), np.arange(1, 71)), axis=1), 71),
    "same": (np.zeros((65, 3), np.int32), 1),
    "apart": (np.arange(60).reshape(20, 3), 60),
    "padded": (RANDOM.integers(-1, 40, (150, 5)), 40),
    "random": (RANDOM.integers(0, 80, (300, 4)).astype(np.int64), 80),
    "nowhere": (np.full((40, 2), -1), 0),
    "a class gets empty": (
        np.array([[6, 4, 7], [1, 1, 2], [8, 5, 1], [4, 5, 0], [4, 0, 0], [3, 0, 5], [4, 5, 4], [3, 0, 3]]), 9,
    ),
}  # fmt: skip
PAIRS = {
    "none": (np.empty((0, 2), np.int32), 3),
    "self": (np.array([[0, 0], [0, 0], [1, 1]]), 2),
    "double": (np.array([[0, 1], [1, 0], [0, 1]]), 2),
    "star": (np.stack((np.zeros(70, int), np.arange(1, 71)), axis=1).astype(np.int32), 71),
    "chain": (RANDOM.permutation(np.stack((np.arange(299), np.arange(1, 300)), axis=1)), 300),
    "chains and an odd ring": (np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [5, 6], [6, 7], [8, 9]]), 11),
    "even ring, renamed": (RANDOM.permutation(500)[np.stack((np.arange(500), np.arange(1, 501) % 500), axis=1)], 500),
    "clique": (np.array([(i, j) for i in range(67) for j in range(i)], np.int32), 67),
    "random": (RANDOM.integers(0, 200, (400, 2)), 230),
    "with none": (RANDOM.integers(-1, 30, (200, 2)).astype(np.int32), 30),
    "a class gets empty": (np.array([[2, 0], [1, 2], [1, 0], [2, 2], [2, 1], [3, 1], [0, 0]]), 4),
}
engines = pytest.mark.parametrize("engine", ENGINES)
kinds = pytest.mark.parametrize("of", ["pairs", "bodies"])


def there(x: Any) -> Any:
    return dev.cupy().asarray(x)


@engines
@pytest.mark.parametrize("name", ELEMENTS)
def test_elements_have_the_colors_of_a_cpu(engine: str, name: str) -> None:
    nodes, n = ELEMENTS[name]
    for even in (True, False):
        one, other = (color_elements(x, n_nodes=n, balance=even, quality="fast") for x in (nodes, there(nodes)))
        assert other.device != "cpu"
        np.testing.assert_array_equal(other.to_numpy(), one.colors)


@engines
def test_rows_of_a_gpu_are_sorted(engine: str) -> None:
    for width in (1, 3, 8):
        nodes = np.random.default_rng(width).integers(-1, 40, (50, width)).astype(np.int32)
        np.testing.assert_array_equal(dev.to_device(sorted_rows(there(nodes)), "cpu"), np.sort(nodes, axis=1))


@engines
@kinds
@pytest.mark.parametrize("name", PAIRS)
def test_pairs_and_bodies_have_the_colors_of_a_cpu(engine: str, name: str, of: str) -> None:
    pairs, n = PAIRS[name]
    for static in (None, np.arange(n) % 5 == 0):
        one = lagcolor.color_pairs(pairs, n, static, of=of)
        other = lagcolor.color_pairs(there(pairs), n, None if static is None else there(static), of=of)
        assert one.verified and other.verified
        np.testing.assert_array_equal(other.to_numpy(), one.colors)


@engines
@kinds
def test_tiny_cases_have_the_colors_of_a_cpu(engine: str, of: str) -> None:
    for seed in range(10):
        random = np.random.default_rng(seed)
        n = int(random.integers(1, 7))
        pairs = random.integers(0, n, (int(random.integers(1, 12)), 2))
        one, other = (lagcolor.color_pairs(x, n, of=of) for x in (pairs, there(pairs)))
        np.testing.assert_array_equal(other.to_numpy(), one.colors)


@engines
@kinds
def test_a_call_that_does_not_wait(engine: str, of: str) -> None:
    pairs, n = PAIRS["random"]
    expected = lagcolor.color_pairs(pairs, n, of=of).colors
    out = dev.cupy().empty(len(expected), np.int32)
    for _ in range(3):  # the memory of the launch before
        result = lagcolor.color_pairs(there(pairs), n, out=out, of=of, wait=False)
        assert result.colors is out and not result.verified
        assert result.verify().ok and result.verified
        np.testing.assert_array_equal(out.get(), expected)


@engines
@kinds
def test_more_colors_than_a_call_that_does_not_wait_can_store(engine: str, of: str) -> None:
    pairs, n = PAIRS["clique"]
    result = lagcolor.color_pairs(there(pairs), n, of=of, wait=False)
    assert (result.to_numpy() == -1).any()
    np.testing.assert_array_equal(result.to_numpy(), lagcolor.color_pairs(pairs, n, of=of, wait=False).colors)
    with pytest.raises(lagcolor.ColoringError, match="uncolored"):
        result.verify()
    result = lagcolor.color_pairs(there(pairs), n, of=of, wait=False, max_colors=128)
    np.testing.assert_array_equal(result.to_numpy(), lagcolor.color_pairs(pairs, n, of=of).colors)


@engines
def test_more_colors_than_are_balanced(engine: str) -> None:
    """Memory for many colors leaves classes even; many colors are not balanced."""
    pairs, n = PAIRS["random"]
    result = lagcolor.color_pairs(there(pairs), n, wait=False, max_colors=5000)
    np.testing.assert_array_equal(result.to_numpy(), lagcolor.color_pairs(pairs, n).colors)
    pairs = np.concatenate((np.stack((np.zeros(1100, int), np.arange(1, 1101)), axis=1), [[1, 2], [3, 4]]))
    result = lagcolor.color_pairs(there(pairs), 1101, wait=False, max_colors=2000)
    np.testing.assert_array_equal(result.to_numpy(), lagcolor.color_pairs(pairs, 1101).colors)


@engines
@pytest.mark.parametrize(("name", "is_static"), [("star", False), ("clique", True)])
def test_words_of_a_body_are_limited(engine: str, name: str, is_static: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, n = PAIRS[name]
    static, words, launch = np.arange(n) == n - 1 if is_static else None, [], cuda.launch
    expected = lagcolor.color_pairs(pairs, n, static, balance=False).colors
    monkeypatch.setattr(cuda, "MOST_WORDS", 1)
    monkeypatch.setattr(cuda, "launch", lambda *args: words.append(args[5]) or launch(*args))
    found = lagcolor.color_pairs(there(pairs), n, None if static is None else there(static))
    np.testing.assert_array_equal(found.to_numpy(), expected)
    assert words == [1] and expected.max() >= 64


@engines
@kinds
def test_a_body_that_is_not_there(engine: str, of: str) -> None:
    for wrong in (-2, 7):
        pairs = there(np.array([[0, 1], [6, wrong]], np.int32))
        with pytest.raises(lagcolor.GraphError, match=f"pair 1 has body {wrong}, and bodies are numbered from 0 to"):
            lagcolor.color_pairs(pairs, 7, of=of)
        with pytest.raises(lagcolor.GraphError, match="pair 1 has body"):
            lagcolor.color_pairs(pairs, 7, of=of, wait=False).verify()


@engines
def test_meshes_on_a_gpu_have_the_result_of_a_cpu(engine: str) -> None:
    nodes, n = ELEMENTS["random"]
    blocks = [("tetra", nodes[:100]), ("triangle", np.arange(9, dtype=np.int32).reshape(3, 3))]
    for make in (color_elements, color_nodes):
        one, other = make([b for _, b in blocks], n_nodes=n), make([there(b) for _, b in blocks], n_nodes=n)
        np.testing.assert_array_equal(other.to_numpy(), one.colors)
        np.testing.assert_array_equal(other.graph.indices.get(), one.graph.indices)
    for parts in (edges, facets):  # many elements have a corner twice
        np.testing.assert_array_equal(parts(("tetra", there(nodes % 20))).get(), parts(("tetra", nodes % 20)))
    one, other = (color_facets(("tetra", x % 20)) for x in (nodes, there(nodes)))
    np.testing.assert_array_equal(other.to_numpy(), one.colors)


@pytest.mark.gpu
def test_another_stream() -> None:
    cp, (pairs, n) = dev.cupy(), PAIRS["random"]
    here, stream = there(pairs), cp.cuda.Stream(non_blocking=True)
    cp.cuda.get_current_stream().synchronize()
    result = lagcolor.color_pairs(here, n, stream=stream, wait=False)
    stream.synchronize()
    np.testing.assert_array_equal(result.to_numpy(), lagcolor.color_pairs(pairs, n).colors)
    by_number = lagcolor.color_pairs(here, n, stream=stream.ptr)
    assert bool((by_number.colors == result.colors).all())


@pytest.mark.gpu
@kinds
def test_pairs_are_converted_on_the_stream(of: str) -> None:
    cp, n = dev.cupy(), 500_000
    pairs = np.random.default_rng(1).integers(0, n, (1_000_000, 2)).astype(np.int32)
    expected = lagcolor.color_pairs(pairs, n, of=of).colors
    late, stream = cp.asarray(pairs.T.copy()), cp.cuda.Stream(non_blocking=True)
    busy = cp.ones((4096, 4096), np.float32)
    cp.cuda.get_current_stream().synchronize()
    for _ in range(20):
        busy = busy @ busy  # the current stream gets to a copy of the pairs late
    result = lagcolor.color_pairs(late.T, n, stream=stream, of=of, wait=False)
    stream.synchronize()
    np.testing.assert_array_equal(result.to_numpy(), expected)


class Exported:
    """An array of another library, with the protocols of arrays on a GPU and of streams alone."""

    def __init__(self, array: Any, stream: Any = None) -> None:
        self._array, self._stream = array, stream
        self.__cuda_array_interface__ = array.__cuda_array_interface__

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._stream.ptr


@pytest.mark.gpu
@kinds
def test_arrays_of_other_libraries(of: str) -> None:
    cp, (pairs, n) = dev.cupy(), PAIRS["random"]
    expected = lagcolor.color_pairs(pairs, n, of=of).colors
    out, stream = cp.empty(len(expected), np.int32), cp.cuda.Stream()
    lagcolor.color_pairs(Exported(there(pairs)), n, out=Exported(out), stream=Exported(out, stream), of=of)
    np.testing.assert_array_equal(out.get(), expected)


@pytest.mark.gpu
def test_a_large_mesh() -> None:
    cells = tetrahedra(20, 1)
    for quality in ("fast", "balanced"):
        one, other = (color_elements(x, quality=quality) for x in (cells, there(cells)))
        np.testing.assert_array_equal(other.to_numpy(), one.colors)


@pytest.mark.gpu
@kinds
def test_many_contacts(of: str) -> None:
    pairs = np.random.default_rng(0).integers(0, 50_000, (100_000, 2)).astype(np.int32)
    static = np.arange(50_000) % 97 == 0
    expected = lagcolor.color_pairs(pairs, 50_000, static, of=of)
    for _ in range(5):
        result = lagcolor.color_pairs(there(pairs), 50_000, there(static), of=of, wait=False)
        assert result.verify().ok
        np.testing.assert_array_equal(result.to_numpy(), expected.colors)
