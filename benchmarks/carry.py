"""Real graphs and other libraries' sources in one file, for a machine that has no network.

python -m benchmarks.carry pack FILE.tar.xz       the graphs of LAGCOLOR_DATA, and the headers of the peers' drivers
python -m benchmarks.carry unpack FILE.tar.xz FOLDER

`unpack` prints the variables that the other scripts need there. A graph is stored as the gaps of the upper triangle
of its matrix, which takes a fourth of the size of the files.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import lagcolor

from .experiment import collection, of_collection
from .peers import native

GRAPHS, SIZES = "gaps.bin", "graphs.json"
ABOUT = ("/ColPack/", "/boost/", "/ECL")  # parts of the paths of headers that a compiler lacks


def gaps(G: lagcolor.Graph) -> np.ndarray:
    """Entries above the diagonal per row, then the gap of each to the one before; the first gap is to the diagonal."""
    rows = np.repeat(np.arange(G.n, dtype=np.int32), np.diff(G.indptr))
    upper = G.indices > rows
    rows, columns = rows[upper], G.indices[upper]
    before = np.where(np.diff(rows, prepend=-1) == 0, np.roll(columns, 1), rows)
    return np.concatenate([np.bincount(rows, minlength=G.n), columns - before]).astype(np.int32)


def from_gaps(n: int, packed: np.ndarray) -> lagcolor.Graph:
    """The graph of `gaps`."""
    counts, steps = packed[:n], packed[n:].astype(np.int64)
    starts = np.cumsum(counts) - counts
    rows = np.repeat(np.arange(n), counts)
    sums = np.cumsum(steps)
    columns = rows + sums - np.repeat(np.concatenate([[0], sums])[starts], counts)
    return lagcolor.Graph.of((rows, columns), n=n)


def headers(peer: native.Native) -> list[Path]:
    """The files of other libraries that a driver includes."""
    command = [*peer.command, *native._include(peer), "-M", *peer.flags, str(native.HERE / peer.source)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = printed.replace("\\\n", " ").split()
    return [Path(word) for word in words if any(name in word for name in ABOUT)]


def pack(file: Path) -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as name:
        folder, sizes = Path(name), []
        with open(folder / GRAPHS, "wb") as out:
            for graph, spec in collection().items():
                try:
                    G = of_collection(spec, "cpu")
                except lagcolor.GraphError:  # a rectangular matrix
                    continue
                packed = gaps(G)
                sizes.append((graph, G.n, len(packed)))
                out.write(packed.view(np.uint8).reshape(-1, 4).T.tobytes())
        (folder / SIZES).write_text(json.dumps(sizes))
        for peer in (*native.NATIVE, native.ECL_GC):
            for header in headers(peer):
                *_, inside = str(header).rpartition("/include/")
                (folder / "include" / inside).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(header, folder / "include" / inside)
        (folder / "lib").mkdir()
        found = subprocess.run(["g++", "-print-file-name=libColPack.a"], capture_output=True, text=True, check=True)
        shutil.copy(found.stdout.strip(), folder / "lib")
        shutil.make_archive(str(file).removesuffix(".tar.xz"), "xztar", folder)


def unpack(file: Path, folder: Path) -> None:
    """Write the graphs as .npz with a table of them, and print what to export."""
    shutil.unpack_archive(file, folder, filter="data")
    data = np.fromfile(folder / GRAPHS, np.uint8)
    at, files = 0, []
    (folder / "data").mkdir(exist_ok=True)
    for name, n, size in json.loads((folder / SIZES).read_text()):
        part = np.ascontiguousarray(data[at : at + 4 * size].reshape(4, size).T).view(np.int32).ravel()
        at += 4 * size
        G = from_gaps(n, part)
        np.savez(folder / "data" / f"{name}.npz", indptr=G.indptr, indices=G.indices, n=G.n)
        files.append((name, f"{name}.npz"))
    with open(folder / "data" / "graphs.csv", "w", newline="") as out:
        csv.writer(out).writerows([("name", "file"), *files])
    there = folder.resolve()
    print(f"export LAGCOLOR_DATA={there}/data CPLUS_INCLUDE_PATH={there}/include LIBRARY_PATH={there}/lib")


def main(argv: Sequence[str] | None = None) -> int:
    """Pack or unpack."""
    p = argparse.ArgumentParser(prog="python -m benchmarks.carry", description=(__doc__ or "").partition("\n\n")[0])
    p.add_argument("what", choices=("pack", "unpack"))
    p.add_argument("file", type=Path, metavar="FILE.tar.xz")
    p.add_argument("folder", type=Path, nargs="?", default=Path(os.curdir))
    args = p.parse_args(argv)
    if args.what == "pack":
        pack(args.file)
    else:
        unpack(args.file, args.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
