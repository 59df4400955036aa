"""The benchmark of derivatives compared with peers: its lines and its table, on a small pattern."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks/ is not part of the distribution

from benchmarks import derivative_peers as peers
from benchmarks.harness.results import of_kind, read_lines

pytest.importorskip("asdex", reason="asdex is not installed: pip install 'lagcolor[jax]'")


def test_lines_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def pattern_of(name: str) -> Any:
        n = 12
        A = sp.csr_array(abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1, dtype=np.int8)
        return A if name == "symmetric" else A[1:]

    heads = "row,group,name,SL2,ID2,LF2,DLF2,N2,SL1,ID1,LF1,DLF1,N1\n"
    (tmp_path / "smcjl_colpack_table_6_7.csv").write_text(f"{heads}1,G,band,3,4,3,3,5,3,3,3,3,3\n")
    (tmp_path / "smcjl_what_table_31_32.csv").write_text("row,name,K\n1,symmetric,7\n")
    monkeypatch.setattr(peers, "pattern_of", pattern_of)
    out = tmp_path / "r.jsonl"
    how = ["--runs", "1", "--tables", str(tmp_path), "--out", str(out), "--commit", "abc"]
    assert peers.main(["band", *how]) == 0
    lines = of_kind(read_lines(out), "measurement")
    colors = {(line["options"]["problem"], line["code"]): line["figures"]["colors"] for line in lines}
    assert set(colors.values()) == {3} and len(colors) == 10
    table = capsys.readouterr().out
    assert "\n".join(peers.markdown(read_lines(out))) in table
    assert table.count("| 5, 3 |") == 1 and table.count("| 3, 3 |") == 1  # columns, rows
    assert list(peers.colorings(pattern_of("symmetric"))) == ["star"]
    assert [row["colors"] for row in peers.references(tmp_path, "symmetric")] == [7, 7]
