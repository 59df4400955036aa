"""Texts that threads read and write: arrays, bytes and errors of one thread, for any number of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lagcolor
from lagcolor import io
from lagcolor.base import device as dev
from lagcolor.io import edge_list, metis, parse, pieces

THREADS = (2, 8)
EXTENSIONS = (".el", ".mtx", ".col", ".gr", ".graph")


@pytest.fixture(params=[1, 3])
def threads(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """The threads of a call, as on a machine with more cores."""
    monkeypatch.setattr(dev, "_wanted", lambda: request.param)
    return int(request.param)


def text(rng: np.random.Generator, lines: tuple[str, ...], count: int) -> np.ndarray:
    """Lines at random, the last with or without an end."""
    found = "".join(lines[k] for k in rng.integers(0, len(lines), count))
    return np.frombuffer(found.removesuffix("\n" * int(rng.integers(0, 2))).encode(), np.uint8)


PAIRS = ("1 2\n", "3,4\n", "5\t6 0.5 x\n", "\n", "# a comment\n", "  7 8\r\n", "123456 7\n")
BROKEN_PAIRS = ("9\n", "9 x\n", "99999999999 1\n")


@pytest.mark.parametrize("workers", THREADS)
def test_pairs_of_small_texts(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """More parts than lines, and faults in several of them: the first one of the file is found."""
    rng = np.random.default_rng(workers)
    for i in range(150):
        buf = text(rng, PAIRS + BROKEN_PAIRS * (i % 3), int(rng.integers(0, 30)))
        found = []
        for number in (1, workers):
            monkeypatch.setattr(pieces, "threads_for", lambda *_, k=number: k)
            found.append(parse.pairs(buf, 0, 5, parse.Pairs(edge_list.ROLE, 0, 2**31 - 2), np.int32))
        (u, v, stop), (u_parts, v_parts, stop_parts) = found
        assert stop == stop_parts and np.array_equal(u, u_parts) and np.array_equal(v, v_parts), buf.tobytes()


ROWS = ("2 1\n", "\n", " 3\n", "% a comment\n", "1\t2 3 2\r\n", "4 4\n")
BROKEN_ROWS = ("1 2 x\n", "99 1\n", "0\n", "5\n")


@pytest.mark.parametrize(("leading", "weighted"), [(0, False), (1, False), (0, True), (2, True)])
@pytest.mark.parametrize("workers", THREADS)
def test_rows_of_small_texts(workers: int, leading: int, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of small texts, also with more or fewer rows than declared."""
    rng = np.random.default_rng(workers)
    for i in range(200):
        count = int(rng.integers(0, 30))
        buf = text(rng, ROWS + BROKEN_ROWS * (i % 3), count)
        n, found = max(1, int(rng.integers(count - 8, count + 2))), []
        for number in (1, workers):
            monkeypatch.setattr(pieces, "threads_for", lambda *_, k=number: k)
            found.append(parse.adjacency(buf, 0, 5, parse.RowFormat(metis.ROLE, n, leading, weighted)))
        (indptr, indices, stop), (indptr_parts, indices_parts, stop_parts) = found
        assert stop == stop_parts, buf.tobytes()
        if stop.status == parse.DONE:
            assert np.array_equal(indptr, indptr_parts) and np.array_equal(indices, indices_parts), buf.tobytes()


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_files_of_graphs(threads: int, extension: str, tmp_path: Path) -> None:
    G = lagcolor.generate.from_spec("uniform:60000,8")
    io.write(tmp_path / f"g{extension}", G)
    with dev.at_most_threads(1):
        io.write(tmp_path / f"one{extension}", G)
    assert (tmp_path / f"g{extension}").read_bytes() == (tmp_path / f"one{extension}").read_bytes()
    reports = list[Any]()
    with lagcolor.base.log.listening(reports.append):
        H = io.read(tmp_path / f"g{extension}")
    assert np.array_equal(H.indptr, G.indptr) and np.array_equal(H.indices, G.indices)
    assert any(report.stage == "reading" for report in reports)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_errors_name_the_line(threads: int, extension: str, tmp_path: Path) -> None:
    """A fault, and another one in the last line."""
    path = tmp_path / f"g{extension}"
    io.write(path, lagcolor.generate.from_spec("grid2d:320"))
    lines = path.read_bytes().split(b"\n")
    wrong = {".el": b"1 x", ".mtx": b"1 9999999", ".col": b"e 1 9999999", ".gr": b"a 1 9999999 1", ".graph": b"1 x"}
    for line in (5, len(lines) // 2):
        path.write_bytes(b"\n".join([*lines[: line - 1], wrong[extension], *lines[line:-2], b"x", b""]))
        with pytest.raises(lagcolor.FormatError, match=f", line {line}: "):
            io.read(path)
