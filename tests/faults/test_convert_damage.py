"""Conversions of damaged files make a graph or say what is wrong; all conversions hold their memory."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from convert_cases import random_pairs, small, text
from pyarrow.csv import WriteOptions, write_csv
from pyarrow.parquet import write_table

import lagcolor

ENDINGS = (".txt", ".csv", ".txt.gz", ".mtx", ".graph", ".col", ".col.b", ".egr", ".npy", ".npz", ".parquet")
TRIES = 12  # files per format
MOST = 100_000_000  # bytes that numpy and Python may take for one of them


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are in the folder of the test, on a disk on which 100 MB are free."""
    monkeypatch.chdir(tmp_path)
    small(monkeypatch)
    usage = type("Usage", (), {"free": 100_000_000})
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)


def file(ending: str) -> bytes:
    """A small file of a format."""
    pairs = random_pairs(2, 40, 90)
    path = Path(f"good{ending}")
    if ending == ".npy":
        np.save(path, pairs)
    elif ending == ".parquet":
        pq.write_table(pa.table({"source": pairs[:, 0], "target": pairs[:, 1]}), path, write_page_checksum=True)
    elif ending == ".csv":
        path.write_text("from,to\n" + "".join(f"v{a},v{b}\n" for a, b in pairs.tolist()))
    elif ending.startswith(".txt"):
        data = text(pairs).encode()
        path.write_bytes(gzip.compress(data) if ending == ".txt.gz" else data)
    else:
        lagcolor.io.write(path, lagcolor.Graph.of(pairs.tolist()))
    return path.read_bytes()


def damaged(data: bytes, r: np.random.Generator) -> bytes:
    """The file with some bytes changed, cut off, put in, or numbers in its head made large."""
    kind, at = int(r.integers(5)), int(r.integers(len(data)))
    if kind == 0:
        return data[:at] + bytes([data[at] ^ 1 << int(r.integers(8))]) + data[at + 1 :]
    if kind == 1:
        return data[:at]
    if kind == 2:
        return data[:at] + bytes(r.integers(0, 256, int(r.integers(1, 9))).astype(np.uint8)) + data[at:]
    near = min(at, int(r.integers(1, 200)))
    digits = b"0123456789"
    if kind == 3 and (found := [k for k in range(min(len(data), 200)) if data[k] in digits]):
        k = int(r.choice(found))
        return data[:k] + digits[: int(r.choice([9, 10]))][::-1] * int(r.choice([1, 2, 40])) + data[k:]
    return data[:near] + bytes(r.choice([0, 255, 127], 4).astype(np.uint8)) + data[near + 4 :]


def converts(path: str) -> bool:
    """Whether a file is converted; if not, the error says which file is at fault, and nothing is left."""
    tracemalloc.start()
    try:
        lagcolor.convert(path, "out.csr", force=True).check()
    except (lagcolor.GraphError, lagcolor.OptionError, OSError) as e:
        assert isinstance(e, lagcolor.OptionError) or Path(path).name in str(e) or "are needed here" in str(e), e
        assert not Path("out.csr.partial").exists()
        return False
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < MOST, f"{peak / 1e6:.0f} MB"
    return True


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.filterwarnings("ignore::lagcolor.NumberingWarning")
def test_damaged_files(ending: str) -> None:
    r = np.random.default_rng(7)
    good = file(ending)
    assert converts(f"good{ending}")
    refused = 0
    for _ in range(TRIES):
        Path(f"bad{ending}").write_bytes(damaged(good, r))
        refused += not converts(f"bad{ending}")
    assert refused > TRIES // 6


def npz(name: str, **members: tuple[object, bytes]) -> None:
    """An archive of arrays whose headers say what they like."""
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, (about, data) in members.items():
            head = repr(about).ljust(117).encode() + b"\n"
            archive.writestr(f"{member}.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data)


def about(shape: object, descr: str = "<i8") -> dict[str, object]:
    return {"descr": descr, "fortran_order": False, "shape": shape}


LIES = {
    "a.graph": ("3 999999999999\n2\n1\n\n", "declares 999999999999 edges, but there are 1"),
    "a.mtx": ("%%MatrixMarket matrix coordinate pattern general\n9 9 999999999999\n1 2\n", "but 1 follow"),
    "a.txt": ("# Nodes: 99999999999 Edges: 1\n0 1\n", "about 800.0 GB are needed here"),
}


@pytest.mark.parametrize("name", LIES)
def test_heads_that_lie(name: str) -> None:
    """Memory follows what a file holds, not what its head says."""
    content, message = LIES[name]
    Path("small.graph").write_text("2 1\n2\n1\n")
    lagcolor.convert("small.graph", "small.csr")  # loads all code
    Path(name).write_text(content)
    refused_in_little_memory(name, message)
    assert sorted(path.name for path in Path().iterdir()) == sorted([name, "small.csr", "small.graph"])


def refused_in_little_memory(name: str, message: str) -> None:
    tracemalloc.start()
    with pytest.raises((lagcolor.FormatError, OSError), match=message):
        lagcolor.convert(name, "out.csr")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"n": (about(()), bytes(8)), "indptr": (about((1,)), bytes(8)), "indices": (about((10**12,)), b"")},
            "a header declares int64 of shape",
        ),
        ({"n": (about((10**6,)), bytes(8 * 10**6))}, "'n' must be one or two whole numbers"),
        ({"n": ({"descr": "<i8"}, b"")}, "no readable .npz archive"),
    ],
)
def test_archives_that_lie(members: dict[str, tuple[object, bytes]], message: str) -> None:
    empty = (about((0,)), b"")
    npz("a.npz", **{"indptr": empty, "indices": empty, **members})
    refused_in_little_memory("a.npz", rf"a\.npz: .*{message}")


def test_a_packed_file_that_is_read_whole() -> None:
    dense = f"%%MatrixMarket matrix array real general\n200 200\n{'0' * 30 + chr(10)}" + ("0" * 30 + "\n") * 39_999
    Path("a.mtx.gz").write_bytes(gzip.compress(dense.encode()))
    with pytest.raises(lagcolor.FormatError, match=r"read whole, and over \d+ bytes are too many: pass more memory"):
        lagcolor.convert("a.mtx.gz", "out.csr")
    Path("g.egr.gz").write_bytes(gzip.compress(bytes(16)))
    with pytest.raises(lagcolor.FormatError, match=r"a packed \.egr is not converted: unpack it first"):
        lagcolor.convert("g.egr.gz", "g.csr")


def test_a_damaged_folder_as_an_input() -> None:
    lagcolor.io.write("g.csr", "grid2d:9")
    data = bytearray(Path("g.csr/indices.npy").read_bytes())
    data[200] ^= 1
    Path("g.csr/indices.npy").write_bytes(data)
    with pytest.raises(lagcolor.FormatError, match=r"bytes 128 to \d+ of indices.npy are not those that were written"):
        lagcolor.convert("g.csr", "out.csr")


CHILD = """
import json, sys
import numpy as np
import lagcolor

def peak(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what))

with open("small.txt", "w") as small:
    small.write("0 1\\n")
lagcolor.convert([sys.argv[3], "small.txt"], "small.csr", n=1 << 20, memory="1GB", force=True)  # loads all code
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")  # the highest is the present
before = peak("VmRSS")
folder = lagcolor.convert(sys.argv[1], "out.csr", memory=int(sys.argv[2]), force=True)
print(json.dumps({"grown": peak("VmHWM") - before, "bytes": folder.nbytes, "edges": folder.n_edges}))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux counts the highest memory of a process")
@pytest.mark.parametrize("ending", ["npy", "txt", "parquet"])
def test_memory_is_limited(tmp_path: Path, ending: str) -> None:
    bound, m = 20_000_000 + 20_000_000 * (ending == "parquet"), 6_000_000
    keys = np.arange(m, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    pairs = np.column_stack([keys >> np.uint64(44), keys >> np.uint64(20) & np.uint64(2**20 - 1)]).astype(np.int32)
    few = pairs[:1000]
    if ending == "npy":
        np.save(tmp_path / "a.npy", pairs)
        np.save(tmp_path / "few.npy", few)
    elif ending == "parquet":
        for name, some in (("a.parquet", pairs), ("few.parquet", few)):
            write_table(pa.table({"u": some[:, 0], "v": some[:, 1]}), tmp_path / name)
    else:
        pairs = pairs[: m // 2]
        for name, some in (("a.txt", pairs), ("few.txt", few)):
            table = pa.table({"u": some[:, 0], "v": some[:, 1]})
            write_csv(table, tmp_path / name, WriteOptions(include_header=False))
    words = [sys.executable, "-c", CHILD, f"a.{ending}", str(bound), f"few.{ending}"]
    for _ in range(2):  # the first run may compile code that the small files do not need
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        if found["grown"] < bound:
            break
    assert found["edges"] > 0.99 * len(pairs)
    assert found["bytes"] > 1.2 * bound  # it could not have been made in memory
    assert found["grown"] < bound, f"{found['grown'] / 1e6:.1f} MB more than before"
