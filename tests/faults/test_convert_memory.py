"""A conversion holds its memory: the highest that a process of its own takes, over what it took before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.csv import WriteOptions, write_csv
from pyarrow.parquet import write_table

CHILD = """
import json, sys
import numpy as np
import lagcolor

def peak(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(what))

with open("small.txt", "w") as small:
    small.write("0 1\\n")
lagcolor.convert([sys.argv[3], "small.txt"], "small.csr", n=1 << 20, memory="1GB")  # loads all code
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")  # the highest is the present
before = peak("VmRSS")
folder = lagcolor.convert(sys.argv[1], "out.csr", memory=int(sys.argv[2]))
print(json.dumps({"grown": peak("VmHWM") - before, "bytes": folder.nbytes, "edges": folder.n_edges}))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux counts the highest memory of a process")
@pytest.mark.parametrize("ending", ["npy", "txt", "parquet"])
def test_memory_is_held(tmp_path: Path, ending: str) -> None:
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
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["edges"] > 0.99 * len(pairs)
    assert found["bytes"] > 1.2 * bound  # it could not have been made in memory
    assert found["grown"] < bound, f"{found['grown'] / 1e6:.1f} MB more than before"
