"""Files with mutations, read by the library: `python tests/fuzzing.py --seconds 600 --seed 7` looks for long.

Each subject is a small file and a function that reads it. A mutant must be read within the limits of time and memory;
an error must be one of the library, with the name of the file. `same` says where a change must not be overlooked: the
formats that say a graph twice, or have checksums.
"""

from __future__ import annotations

import argparse
import faulthandler
import gzip
import io as stdio
import re
import resource
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from corpus import graph

import lagcolor
from lagcolor import io
from lagcolor.derivatives import hessian, jacobian, load
from lagcolor.pauli.grouping import read_strings

SECONDS, BYTES = 10, 1 << 30
TOKENS = (
    b"0", b"1", b"-1", b"2147483647", b"2147483648", b"99999999999999999999", b"1e400", b"nan", b"1x5", b"1..2", b"_",
    b"\n", b"\r", b"\0", b"\xff", b"\xed\xa0\x80", b'"', b",", b";", b" ", b"\t", b"#", b"%", b"[", b"{", b"}", b":",
    b"null", b"true", b"p edge 3 3\n", b"\xef\xbb\xbf", b"'", b"(", b"()", b"\\ud800", b"9" * 5000, b"[" * 100000,
)  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """A file, how it is read, and what is known of mutants."""

    name: str  # of the file
    data: bytes
    read: Callable[[Path], Any]  # ``read(path)``; what it returns is compared
    same: bool = False  # a mutant with one other byte is an error, or the same
    lines: bool = False  # a mutant without one of the lines of edges is an error


def _graph(path: Path) -> Any:
    G = io.read(path)
    return G.n, G.indptr.tolist() if G.n < 10**6 else G.n, G.indices.tolist(), G.labels and list(G.labels)


def _pattern(path: Path) -> Any:
    P = lagcolor.Pattern.of(path)
    return P.shape, P.indices.tolist()


def _bytes(write: Callable[[Path], object], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


def _text_graphs() -> Iterator[Subject]:
    G = graph("disconnected")
    for row in io.FORMATS.values():
        name = f"g{row.extensions[0]}"
        data = _bytes(lambda path: io.write(path, G), name)
        twice = row.name in ("metis", "egr", "npz")
        lines = row.name in ("mtx", "edges", "col", "gr", "metis")
        yield Subject(name, data, _graph, twice, lines)
        yield Subject(f"{name}.gz", gzip.compress(data, mtime=0), _graph, same=True)
        yield Subject(name.replace("g.", "p."), data, _pattern)
    yield Subject("n.csv", b'source,target,kg\nAnn,"Smith, Bob",3\n"Smith, Bob",Carl,4\nCarl,Ann,5\n', _graph)
    yield Subject("w.tsv", b"id\tfrom\tto\n1\t5\t7\n2\t7\t9\n3\t9\t5\n", _graph)
    yield Subject("w.graph", b"% c\n4 4 011 2\n1 2 2 5 3 6\n1 1 1 5 3 7\n9 8 1 6 2 7 4 1\n1 1 3 1\n", _graph)
    for field, values in (("real", " 1.5"), ("complex", " -1e3 .5")):
        head = f"%%MatrixMarket matrix coordinate {field} general\n% c\n3 4 3\n"
        text = head + "".join(f"{i} {j}{values}\n" for i, j in ((1, 4), (2, 1), (3, 2)))
        yield Subject(f"{field}.mtx", text.encode(), _pattern, lines=True)
    dense = "%%MatrixMarket matrix array real symmetric\n3 3\n" + "0\n1.5\n2\n0\n-1\n0\n"
    yield Subject("dense.mtx", dense.encode(), _graph, lines=True)


def _npz_graphs() -> Iterator[Subject]:
    A = graph("disconnected").to_scipy()
    A = sp.block_diag([A, A[:2, :2]]).tocsr() if A.shape[0] % 2 else A
    for layout in ("csr", "csc", "coo", "bsr", "dia"):
        for packed in (False, True):
            found = A.tobsr((2, 2)) if layout == "bsr" else A.asformat(layout)
            data = _bytes(lambda path: sp.save_npz(path, found, compressed=packed), "g.npz")  # noqa: B023
            yield Subject(f"{layout}{packed}.npz", data, _graph, same=True)
    out = stdio.BytesIO()
    np.savez(out, indptr=A.indptr, indices=A.indices, n=A.shape[0])
    yield Subject("plain.npz", out.getvalue(), _graph, same=True)


def _colorings() -> Iterator[Subject]:
    G = lagcolor.Graph.of([("a", "b"), ("b", 'c "d"'), ('c "d"', "e\rf"), ("e\rf", "a")])
    result = lagcolor.color(G, order="natural")
    for extension in (".npy", ".txt", ".csv", ".json"):
        data = _bytes(lambda path: result.save(path), f"c{extension}")
        yield Subject(f"c{extension}", data, lambda path: io.read_coloring(path, labels=G.labels).tolist())
    for name, text, read in (
        ("f.csv", "vertex,color\n0,1\n3,2\n", lambda path: io.read_forbidden(path, 5).indices.tolist()),
        ("w.csv", "vertex,weight\n0,1\n1,2.5\n2,7\n", lambda path: io.read_weights(path, 3).tolist()),
        ("w.txt", "1\n2.5\n7\n", lambda path: io.read_weights(path, 3).tolist()),
        ("k.csv", "color,capacity\n0,1\n1,2\n", lambda path: io.read_capacity(path).tolist()),
    ):
        yield Subject(name, text.encode(), read)
    weights = _bytes(lambda path: np.save(path, np.array([1.5, 2, 3])), "w.npy")
    yield Subject("w.npy", weights, lambda path: io.read_weights(path, 3).tolist())


def _others() -> Iterator[Subject]:
    A = sp.csr_array(np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]))
    S = graph("path").to_scipy()
    makers = (jacobian(A), jacobian(A, "rows"), jacobian(A, "both"), hessian(S), hessian(S, "substitution"))
    for k, C in enumerate(makers):
        yield Subject(f"d{k}.npz", _bytes(lambda path: C.save(path), "d.npz"), _compression, same=True)  # noqa: B023
    yield Subject("p.txt", b"XIZ 0.5\n# c\nYYI -1\nZZZ 2\n", read_strings)


def _compression(path: Path) -> Any:
    C = load(path)
    return C.partition, C.pattern.shape, C.pattern.indices.tolist(), C.coloring.to_numpy().tolist()


def subjects() -> list[Subject]:
    """All of them."""
    return [*_text_graphs(), *_npz_graphs(), *_colorings(), *_others()]


def mutant(subject: Subject, r: np.random.Generator) -> tuple[bytes, str]:
    """Other bytes, and what kind of change made them: "byte", "line" (left out) or "more"."""
    data = subject.data
    kind = r.integers(10)
    if kind < 3:
        at = int(r.integers(len(data)))
        likely = np.frombuffer(b'\n\r\0 0159-x,%#e\xff\x80.;"', np.uint8)
        byte = int(r.choice(likely)) if kind else data[at] ^ 1 << int(r.integers(8))
        return data[:at] + bytes([byte]) + data[at + 1 :], "byte"
    if kind == 3 and subject.lines:
        begin = data.find(b"\n", data.find(b"\np ") + 1) + 1 if b"\np " in data else 0
        lines = data[begin:].splitlines(keepends=True)
        body = [k for k, line in enumerate(lines) if line.strip() and line[:1] not in b"%#cp"][_head(subject) :]
        del lines[int(r.choice(body))]
        return data[:begin] + b"".join(lines), "line"
    if zipfile.is_zipfile(stdio.BytesIO(data)) and kind < 9:
        return _zip_mutant(data, r), "more"
    for _ in range(int(r.integers(1, 4))):
        data = _spliced(data, r)
    return data, "more"


def _head(subject: Subject) -> int:
    """Lines that are no comments before the lines of edges."""
    return 0 if subject.name.endswith((".txt", ".col", ".gr")) else 1


def _spliced(data: bytes, r: np.random.Generator) -> bytes:
    """Some bytes left out, put in, doubled or moved."""
    a, b = sorted(int(x) for x in r.integers(0, len(data) + 1, 2))
    b = min(b, a + int(r.integers(1, 40)))
    token = TOKENS[int(r.integers(len(TOKENS)))]
    number = re.search(rb"\d+", data[a:])
    which = r.integers(6)
    if which == 0:
        return data[:a] + data[b:]
    if which == 1:
        return data[:a] + token + data[a:]
    if which == 2:
        return data[:b] + data[a:b] * int(r.integers(1, 4)) + data[b:]
    if which == 3 and number:
        return data[: a + number.start()] + token + data[a + number.end() :]
    if which == 4:
        return data[:a]
    return data[:a] + data[b:] + data[a:b]


def _zip_mutant(data: bytes, r: np.random.Generator) -> bytes:
    """Change one array of an archive: its header, its data or its name. The archive itself is intact."""
    with zipfile.ZipFile(stdio.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = str(r.choice(list(members)))
    old = members[name]
    begin = 10 + struct.unpack("<H", old[8:10])[0]
    which = r.integers(5)
    if which == 0:
        members[name] = _spliced(old[:begin], r) + old[begin:]
    elif which == 1:
        members[name] = old[:begin] + _spliced(old[begin:], r)
    elif which == 2:
        array = np.load(stdio.BytesIO(old))
        if array.dtype.kind in "iu" and array.size:
            array = array.astype(np.int64)
            array.reshape(-1)[int(r.integers(array.size))] = int(r.choice([-1, 0, 1, 7, 2**31 - 2, 10**7]))
            array = array.astype(str(r.choice(["<i4", "<i8", ">i4", "<f8", "<u8"])))
        out = stdio.BytesIO()
        np.save(out, array)
        members[name] = out.getvalue()
    elif which == 3:
        del members[name]
    else:
        members[name + "x"] = members.pop(name)
    out = stdio.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, member in members.items():
            archive.writestr(zipfile.ZipInfo(name), member)  # without the time
    return out.getvalue()


class FoundError(Exception):
    """The fault in the reading of a mutant."""


def examine(subject: Subject, data: bytes, kind: str, path: Path, expected: Any) -> None:
    """Read a mutant.

    Raises
    ------
    FoundError
    """
    path.write_bytes(data)
    begun, found, error = time.process_time(), None, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = subject.read(path)
    except lagcolor.base.errors.LagcolorError as e:
        error = e
        if path.name not in str(e):
            raise FoundError(f"the error does not name the file: {e}") from e
        if len(str(e)) > 2000:
            raise FoundError(f"an error of {len(str(e))} characters") from e
    except MemoryError as e:
        # The offsets of as many vertices as a file declares, whose number of edges is right.
        declared = re.search(r"shape \((\d+),\) and data type int32", str(e))
        if declared is None or str(int(declared[1]) - 1).encode() not in data:
            raise FoundError("over the limit of memory") from e
        return
    except Exception as e:
        raise FoundError(f"{type(e).__name__}: {str(e)[:200]}") from e
    if time.process_time() - begun > SECONDS:
        raise FoundError(f"{time.process_time() - begun:.0f} seconds")
    if error is None and (found != expected and kind == "byte" and subject.same):
        raise FoundError("another byte gives another result without an error")
    if error is None and kind == "line" and subject.lines:
        raise FoundError("a line is missing without an error")


def search(chosen: list[Subject], seed: int, seconds: float, count: int | None = None) -> tuple[int, list[str]]:
    """Mutants of each subject in turn, until the time is over: how many, and what was found; also in the folder found.

    Parameters
    ----------
    chosen : list of Subject
    seed : int
    seconds : float
    count : int, optional
        Mutants of each subject, at most.
    """
    end, tried, found = time.monotonic() + seconds, 0, dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        expected = []
        for subject in chosen:
            path = Path(folder) / subject.name
            path.write_bytes(subject.data)
            expected.append(subject.read(path))
        _limit_memory()
        for k in range(count or sys.maxsize):
            for number, subject in enumerate(chosen):
                if time.monotonic() > end:
                    return tried, list(found.values())
                data, kind = mutant(subject, np.random.default_rng([seed, number, k]))
                faulthandler.dump_traceback_later(6 * SECONDS, exit=True)
                tried += 1
                try:
                    examine(subject, data, kind, Path(folder) / subject.name, expected[number])
                except FoundError as e:
                    where = traceback.extract_tb(e.__cause__.__traceback__)[-1] if e.__cause__ else ""
                    key = f"{subject.name} {type(e.__cause__).__name__} {where and where.name}"
                    shown = data if len(data) < 300 else data[:150] + b" ... " + data[-150:]
                    found.setdefault(
                        key, f"{subject.name} seed {[seed, number, k]} ({kind}): {e} {where}\n    {shown!r}"
                    )
                finally:
                    faulthandler.cancel_dump_traceback_later()
    return tried, list(found.values())


def _limit_memory() -> None:
    """Allocations beyond the limit raise MemoryError."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + BYTES, resource.RLIM_INFINITY))


def main() -> int:
    """Look, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("names", nargs="*", help="subjects, by how they begin")
    args = parser.parse_args()
    chosen = [s for s in subjects() if not args.names or s.name.startswith(tuple(args.names))]
    tried, found = search(chosen, args.seed, args.seconds, args.count)
    print(f"{tried} mutants of {len(chosen)} subjects, {len(found)} findings", *found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
