"""lagcolor.convert: the graph of files of edges is the one that SciPy makes, whatever the format and the memory."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from convert_cases import SMALL, agrees, contents, graph_of, random_pairs, small, text

import lagcolor
from lagcolor.scale.disk import Folder


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    small(monkeypatch)


def converted(inputs: object, **options: object) -> Folder:
    """A folder that is sound, with nothing left next to it."""
    folder = lagcolor.convert(inputs, "out.csr", **options)
    folder.check()
    assert not Path("out.csr.partial").exists()
    return folder


def write(path: str, pairs: np.ndarray) -> str:
    """Edges in a file, by its ending."""
    if path.endswith(".npy"):
        np.save(path, pairs if "wide" not in path else pairs.T)
    elif path.endswith(".parquet"):
        table = pa.table({"weight": pairs[:, 0] * 0.5, "source": pairs[:, 0], "target": pairs[:, 1].astype(np.int32)})
        pq.write_table(table, path, row_group_size=777)
    elif path.endswith(".gz"):
        with gzip.open(path, "wt") as out:
            out.write(text(pairs))
    elif path.endswith(".csv"):
        Path(path).write_text("from,to\n# and a comment\n" + text(pairs, ","))
    else:
        Path(path).write_text("% a comment\n" + text(pairs, "  "))
    return path


@pytest.mark.parametrize("seed", range(3))
def test_random_files(seed: int) -> None:
    r = np.random.default_rng(seed)
    n, m = int(r.integers(2, 3000)), int(r.integers(1, 6000))
    pairs = random_pairs(seed, n, m)
    cuts = np.sort(r.integers(0, len(pairs), int(r.integers(0, 4))))
    endings = r.permutation([".txt", ".csv", ".el.gz", ".npy", "wide.npy", ".parquet"])
    parts = [part for part in np.split(pairs, cuts) if len(part)]
    files = [write(f"{k}{endings[k % 6]}", part) for k, part in enumerate(parts)]
    folder = converted(files, n=n)
    assert agrees(folder.path, pairs, n)
    loops = int((pairs[:, 0] == pairs[:, 1]).sum())
    repeated = len(pairs) - loops - len(graph_of(pairs, n)[1]) // 2
    assert folder.notes == {"edges": len(pairs), "loops": loops, "repeated": repeated}


def test_formats_of_graphs() -> None:
    G = lagcolor.Graph.of("rmat:9")
    for ending in (".mtx", ".graph", ".col", ".gr", ".egr", ".npz", ".col.b", ".csr", ".graph.gz"):
        lagcolor.io.write(f"g{ending}", G)
        folder = converted(f"g{ending}", force=True)
        assert np.array_equal(folder.indptr, G.indptr) and np.array_equal(folder.indices, G.indices)
        assert "one_sided" not in folder.notes


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_matrices_that_are_not_symmetric(kind: str) -> None:
    pairs = random_pairs(1, 500, 3000)
    A = sp.coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(600, 600)).asformat(kind)
    sp.save_npz("a.npz", A)
    folder = converted("a.npz")
    assert agrees(folder.path, pairs, 600)
    mirrored = sp.coo_array(A.T).tocsr()
    without = {(u, v) for u, v in pairs.tolist() if u != v and not mirrored[u, v]}
    twice = len(pairs) - len({tuple(p) for p in pairs.tolist()})
    assert 0 < len(without) - 2 * twice <= folder.notes["one_sided"] <= len(without)
    np.savez("b.npz", indptr=A.tocsr().indptr, indices=A.tocsr().indices, n=600)
    folder = converted("b.npz", force=True)
    assert agrees(folder.path, pairs, 600)
    assert folder.notes["one_sided"] == len(without)  # no entry is there twice


@pytest.mark.parametrize(
    ("text", "n", "one_sided"),
    [
        ("coordinate real general\n3 3 2\n1 2 5.0\n3 3 1\n", 3, 1),
        ("coordinate real symmetric\n3 3 2\n2 1 5.0\n3 3 1\n", 3, None),
        ("array real general\n2 2\n1\n0\n3\n0\n", 2, None),
    ],
)
def test_matrix_market(text: str, n: int, one_sided: int | None) -> None:
    Path("a.mtx").write_text(f"%%MatrixMarket matrix {text}")
    folder = converted("a.mtx")
    assert agrees(folder.path, [(0, 1)], n) and folder.notes.get("one_sided") == one_sided


@pytest.mark.parametrize(
    ("name", "head", "lines"),
    [
        ("a.col", "p edge 3", "e 1 2\ne 2 3\ne 2 3\ne 3 3\n"), ("a.graph", "3", "2\n1 3\n2\n"),
        ("a.graph", "3", "2\n1 3 2\n2 3\n"), ("a.graph", "3", "2\n3\n\n"),
    ],
)  # fmt: skip
def test_declared_edges_agree_with_read(name: str, head: str, lines: str) -> None:
    Path("b.txt").write_text("0 1\n" * 9000)
    for m in range(1, 10):
        Path(name).write_text(f"{head} {m}\n{lines}")
        found: list[int | str] = []
        for read in (lambda: lagcolor.io.read(name, symmetrize=True), lambda: converted(name, force=True),
                     lambda: converted(["b.txt", name, "b.txt"], force=True)):  # fmt: skip
            try:
                found.append(read().n_edges)
            except lagcolor.FormatError as e:
                found.append(str(e))
        assert found[0] == found[1] == found[2]


def test_memory_changes_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = random_pairs(5, 900, 9000)
    write("a.txt", pairs)
    made = []
    for keys, block, edges in ((4096, 100, 50), (5000, 5000, 2500), (1 << 17, 1 << 20, 1 << 17)):
        small(monkeypatch, SMALL._replace(keys=keys, block=block, edges=edges))
        made.append(contents(converted("a.txt", force=True).path))
    assert made[0] == made[1] == made[2]
    assert agrees(Path("out.csr"), pairs, int(pairs.max()) + 1)


def test_a_hub_may_have_more_neighbors_than_memory() -> None:
    pairs = np.column_stack([np.zeros(15000, np.int64), np.arange(1, 15001)])
    np.save("hub.npy", pairs)
    assert agrees(converted("hub.npy").path, pairs, 15001)


def test_the_corpus_of_small_graphs() -> None:
    for content, n, pairs in (
        ("# Nodes: 0 Edges: 0\n", 0, []),
        ("# Nodes: 1 Edges: 0\n", 1, []),
        ("# Nodes: 5 Edges: 0\n", 5, []),
        ("0 0\n", 1, []),
        ("# Nodes: 9 Edges: 2\n0 1\n3 1", 9, [(0, 1), (1, 3)]),
        ("0 1\r\n1 0\r\n0 1\r\n", 2, [(0, 1)]),
        ("2;0;\n\n0;2;5\n", 3, [(0, 2)]),
    ):
        Path("a.txt").write_text(content)
        assert agrees(converted("a.txt", force=True).path, pairs, n)
        assert lagcolor.Graph.of("out.csr").n == lagcolor.Graph.of("a.txt").n == n
    np.save("none.npy", np.zeros((0, 2), np.int32))
    assert converted("none.npy", force=True).n == 0
    assert converted("none.npy", force=True, n=4).n == 4


def test_names() -> None:
    pairs = random_pairs(3, 400, 3000)
    rows = [f'"v, {a}",Ω{b}\n' for a, b in pairs.tolist()]
    Path("a.csv").write_text("source,target\n" + "".join(rows), encoding="utf-8")
    pq.write_table(pa.table({"a": [f"v, {a}" for a in pairs[:, 0]], "b": [f"Ω{b}" for b in pairs[:, 1]]}), "a.parquet")
    G = lagcolor.Graph.of("a.csv")
    for file in ("a.csv", "a.parquet"):
        folder = converted(file, force=True)
        assert folder.labels == G.labels
        assert np.array_equal(folder.indices, G.indices) and np.array_equal(folder.indptr, G.indptr)
    assert lagcolor.color("out.csr").to_dict() == lagcolor.color("a.csv").to_dict()


@pytest.mark.parametrize("factor", [10007, 10**14])
def test_numbers_that_are_far_apart(factor: int) -> None:
    pairs = random_pairs(4, 700, 4000)
    pairs = np.concatenate([pairs, [[701, 701]]]) * factor  # 701 has but a self-loop, and is a vertex
    write("a.txt", pairs)
    G, folder = lagcolor.Graph.of("a.txt"), converted("a.txt")
    assert folder.labels == G.labels and 701 * factor in folder.labels
    assert np.array_equal(folder.indices, G.indices) and np.array_equal(folder.indptr, G.indptr)


def test_numbers_at_the_borders() -> None:
    """The first that is too large for a key; the first that makes labels of numbers; a large one that comes late."""
    for v in (2**32 - 1, 2**32, 2**32 + 1):
        Path("a.txt").write_text(f"1 {v}\n")
        folder = converted("a.txt", force=True)
        assert folder.labels == [1, v] and folder.n_edges == 1
    for last, n in ((500, 501), (999, 1000), (1000, 3)):
        Path("a.txt").write_text(f"0 1\n1 {last}\n")
        folder, G = converted("a.txt", force=True), lagcolor.Graph.of("a.txt")
        assert (folder.n, folder.labels) == (G.n, G.labels) == (n, None if n > 3 else [0, 1, 1000])
    pairs = np.concatenate([random_pairs(7, 3000, 9000), [[2**40, 5], [2**40, 2**41]]])
    np.save("a.npy", pairs)
    labels, folder = np.unique(pairs), converted("a.npy", force=True)
    assert folder.labels == labels.tolist()
    assert agrees(folder.path, np.searchsorted(labels, pairs), len(labels))
    with pytest.raises(lagcolor.FormatError, match="vertex 1099511627776, and there are 4000 vertices"):
        lagcolor.convert("a.npy", "other.csr", n=4000)


def test_a_number_that_another_file_does_not_allow() -> None:
    Path("a.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n")
    Path("b.txt").write_text("0 2\n1 3\n")
    with pytest.raises(lagcolor.FormatError, match=r"b\.txt: edge 1 has vertex 3, and there are 3 vertices"):
        lagcolor.convert(["a.mtx", "b.txt"], "out.csr")
    Path("b.txt").write_text("0 2\n")
    assert agrees(converted(["a.mtx", "b.txt"]).path, [(0, 1), (0, 2)], 3)


def test_a_list_that_counts_from_one() -> None:
    Path("a.txt").write_text("1 2\n2 3\n3 1\n")
    with pytest.warns(lagcolor.NumberingWarning, match="vertex 0 has no edge, and all of 1 … 3 have"):
        assert converted("a.txt").n == 4
    for content, n in (("1 2\n2 3\n3 1\n", 4), ("0 0\n1 2\n", None), ("1 2\n2 3\n3 1\n5 5\n", None)):
        Path("b.txt").write_text(content)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            converted("b.txt", n=n, force=True)


def test_a_folder_of_shards_and_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = random_pairs(8, 300, 3000)
    (Path("in") / "b").mkdir(parents=True)
    write("in/x.parquet", pairs[:1000])
    write("in/b/y.txt", pairs[1000:])
    for name in ("in/_SUCCESS", "in/.hidden.txt", "in/b/.crc"):
        Path(name).write_text("no edges")
    n = int(pairs.max()) + 1
    assert agrees(converted("in").path, pairs, n)
    for data in (text(pairs).encode(), gzip.compress(text(pairs).encode())):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
        assert agrees(converted("-", force=True).path, pairs, n)


def test_columns_of_parquet_and_text_together() -> None:
    pq.write_table(pa.table({"a": [0, 1], "b": [1, 2], "c": [2, 2]}), "a.parquet")
    for columns, message in ((None, "which two of the 3 columns 'a', 'b', 'c' are"), (("a", "d"), "no column 'd'")):
        with pytest.raises(lagcolor.FormatError, match=message):
            lagcolor.convert("a.parquet", "out.csr", columns=columns)
    np.save("a.npy", [[0, 1]])
    with pytest.raises(lagcolor.OptionError, match=r"columns is for the format edges or parquet, and a\.npy has"):
        lagcolor.convert("a.npy", "out.csr", columns=("a", "c"))
    with gzip.open("b.csv.gz", "wt") as file:
        file.write("c,b,a\n3,x,4\n3,,5\n")
    Path("c.txt").write_text("a c\n6 7\n")
    edges = [(0, 2), (1, 2), (3, 4), (3, 5), (6, 7)]
    assert agrees(converted(["a.parquet", "b.csv.gz", "c.txt"], columns=("a", "c")).path, edges, 8)
    with gzip.open("b.csv.gz", "wt") as file:
        file.write("c,b\n3,9\n")
    with pytest.raises(lagcolor.FormatError, match=r"b\.csv\.gz, line 1: there is no column 'a'; the line has"):
        lagcolor.convert(["a.parquet", "b.csv.gz"], "other.csr", columns=("a", "c"))


def test_a_first_line_of_names_in_blocks() -> None:
    """The kind of the first line is known only after the first block."""
    between = [f"v{k} v{k + 1}" for k in range(3000)]
    for first, last, why in (
        ("Ann Bob", "Bob v0", None), ("who whom", "v0 v9", "no other edge has one"), ("u v", "v v0", "edges below it"),
    ):  # fmt: skip
        Path("a.txt").write_text("\n".join(["# names", first, *between, last]))
        if why is not None:
            with pytest.raises(lagcolor.FormatError, match=rf"a\.txt, line 2: .* may name the columns or .*{why}"):
                lagcolor.convert("a.txt", f"{first}.csr")
        made = lagcolor.convert("a.txt", f"{first}.csr", header=False, restart=True)
        assert made.notes["edges"] == len(between) + 2
        if why == "edges below it":  # which the line then names
            made = lagcolor.convert("a.txt", "named.csr", header=True)
            assert made.notes["edges"] == len(between) + 1


def test_a_list_without_edges_needs_a_number_of_vertices() -> None:
    for content in ("", "# nothing\n", "source target\n"):
        Path("a.txt").write_text(content)
        folder = converted("a.txt", n=5, force=True)
        assert folder.n == 5 and folder.entries == 0 and folder.indptr.tolist() == [0] * 6


def test_a_folder_passes_for_its_path() -> None:
    Path("a.txt").write_text("0 1\n1 2\n")
    folder = lagcolor.convert("a.txt", "out.csr", memory=10**30)  # no more than half of what there is
    assert lagcolor.Graph.of(folder).n_edges == 2
    for how in ({}, {"memory": "20MB"}):
        assert lagcolor.color(folder, **how).n_colors == 2


MTX = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [  # tests/faults/test_io_malformed.py has more
        ("a.txt", "0 1\n" * 400 + "1 -2\n", "a.txt, line 401: expected two vertex numbers.*'1 -2'"),
        ("a.txt", "#" * 10 + "\n0 1\n" + "x" * 70000, "a line of over 65536 bytes|expected two vertex"),
        ("a.mtx", MTX + "2 3\n3 1\n", "a.mtx, line 2: this line declares 2 entries, but 3 follow"),
        ("a.graph", "4 1\n2\n1\n", "declares 4 vertices, but the file ends after 2"),
        ("a.txt.gz", "not gzip", "damaged or truncated gzip file"),
        ("a.npy", "no array", "no readable .npy file"),
        ("a.parquet", "no table", "no readable Parquet file"),
    ],
)
def test_malformed_files(name: str, content: str, message: str) -> None:
    Path(name).write_text(content)
    with pytest.raises(lagcolor.FormatError, match=message):
        lagcolor.convert(name, "out.csr")
    assert [p.name for p in Path().iterdir()] == [name]


def test_arrays_that_are_no_edges() -> None:
    for array, message in (
        (np.array([[0, 1], [2, -3], [4, 5]]), "edge 1 has vertex -3; vertices are numbered from 0 on"),
        (np.array([[0, 2**63]], np.uint64), "edge 0 has vertex 9223372036854775808, and numbers go up to"),
        (np.array([[0.0, 1.5]]), "must be whole numbers, not float64"),
        (np.zeros((3, 3), int), r"of shape \(m, 2\) or \(2, m\), not \(3, 3\)"),
    ):
        np.save("a.npy", array)
        with pytest.raises(lagcolor.FormatError, match=message):
            lagcolor.convert("a.npy", "out.csr")
    pq.write_table(pa.table({"u": [0, 1, None], "v": [1, 2, 3]}), "a.parquet")
    with pytest.raises(lagcolor.FormatError, match="column 'u' has no value in row 2"):
        lagcolor.convert("a.parquet", "out.csr")
    pq.write_table(pa.table({"u": [0], "v": ["b"]}), "b.parquet")
    with pytest.raises(lagcolor.FormatError, match="whole numbers or names"):
        lagcolor.convert("b.parquet", "out.csr")


def test_two_edges_in_an_array_may_be_rows_or_columns() -> None:
    np.save("a.npy", [[0, 1], [2, 3]])
    with pytest.raises(lagcolor.FormatError, match="in its rows or its columns: x = numpy") as caught:
        lagcolor.convert("a.npy", "a.csr")
    x = np.load("a.npy")
    calls = re.findall(r"lagcolor\.io\.write\(.*?\)\)", str(caught.value))
    for call, pairs in zip(calls, ([(0, 1), (2, 3)], [(0, 2), (1, 3)]), strict=True):
        eval(call, {"lagcolor": lagcolor, "x": x})
        assert agrees(Path("a.csr"), pairs, 4)


def test_what_is_refused_before_any_work() -> None:
    Path("a.txt").write_text("0 1\n")
    Path("b.csv").write_text("x,y\nAnn,Bob\n")
    lagcolor.io.write("g.mtx", "path:3")
    write("p.parquet", random_pairs(0, 9, 9))
    before = contents_of_here()
    names = "names in b.csv, and numbers in a.txt|numbers in a.txt, and names in b.csv"
    for error, match, inputs, how in (
        (lagcolor.OptionError, "memory must be a number", "a.txt", {"memory": "1kB"}),
        (lagcolor.OptionError, "Parquet, whose reader .* pass memory='36MB' or more", "p.parquet", {"memory": "20MB"}),
        (lagcolor.OptionError, "converted alone", ["-", "a.txt"], {}),
        (lagcolor.GraphError, names, ["a.txt", "b.csv"], {}),
        (lagcolor.OptionError, "these have names: leave n out", "b.csv", {"n": 3}),
        (lagcolor.GraphError, "n = 4, but g.mtx has 3 vertices", "g.mtx", {"n": 4}),
        (lagcolor.FormatError, "line 1: vertex 1 is out of range: there are 1 vertices", "a.txt", {"n": 1}),
        (lagcolor.FormatError, "unknown format", "a.txt", {"format": "xml"}),
    ):
        with pytest.raises(error, match=match):
            lagcolor.convert(inputs, "o.csr", **how)
        assert contents_of_here() == before
    for folder, match in (("none/o.csr", "there is no folder"), ("a.txt", "no graph folder")):
        with pytest.raises(OSError, match=match):
            lagcolor.convert("g.mtx", folder, force=True)


def contents_of_here() -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(Path().iterdir())}


def test_existing_files_stay_unless_forced() -> None:
    Path("a.txt").write_text("0 1\n")
    converted("a.txt")
    before = contents(Path("out.csr"))
    with pytest.raises(FileExistsError, match="there is a graph already"):
        lagcolor.convert("a.txt", "out.csr")
    Path("b.txt").write_text("0 1\n1 x\n")
    with pytest.raises(lagcolor.FormatError):
        lagcolor.convert("b.txt", "out.csr", force=True)
    assert contents(Path("out.csr")) == before
    with pytest.raises(lagcolor.OptionError, match="one of the inputs"):
        lagcolor.convert("out.csr", "out.csr", force=True)


def test_too_little_memory_says_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    np.save("a.npy", np.zeros((3_000_000, 2), np.int32))
    tiny = SMALL._replace(keys=4096)
    small(monkeypatch, tiny)
    with pytest.raises(lagcolor.OptionError, match=r"too little for about 3000000 edges: pass memory='(\d+)MB'"):
        lagcolor.convert("a.npy", "out.csr")
    Path("names.csv").write_text("".join(f"name{k},name{k + 1}\n" for k in range(5000)))
    small(monkeypatch, SMALL._replace(table=10_000))
    with pytest.raises(lagcolor.OptionError, match=r"names of vertices take about .* pass memory of more than"):
        lagcolor.convert("names.csv", "out.csr")
    np.save("large.npy", np.arange(10**12, 10**12 + 4000).reshape(-1, 2))
    with pytest.raises(lagcolor.OptionError, match=r"numbers of 2³² and more.* pass memory of more than"):
        lagcolor.convert("large.npy", "out2.csr")
    np.save("far.npy", np.arange(0, 4000_000, 1000).reshape(-1, 2))
    small(monkeypatch, SMALL._replace(table=1000))
    with pytest.raises(lagcolor.OptionError, match="far apart, and renumbering 4000 of them takes 16000 bytes"):
        lagcolor.convert("far.npy", "out3.csr")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    from lagcolor.cli import main

    Path("a.txt").write_text("0 1\n1 0\n1 2\n2 2\n")
    assert main(["convert", "a.txt", "out.csr", "--memory", "100MB"]) == 0
    assert "out.csr: 3 vertices, 2 edges (4 read, with 1 self-loop and 1 repetition)" in capsys.readouterr().out
    assert main(["convert", "a.txt", "out.csr", "--force", "--n", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["vertices"] == 5
    Path("a.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 1\n2 3\n")
    assert main(["convert", "a.mtx", "out.csr", "--force"]) == 0
    assert "not symmetric: added 1 entry or more without a mirror image" in capsys.readouterr().out


def test_progress() -> None:
    write("a.txt", random_pairs(2, 500, 5000))
    seen: list[lagcolor.base.progress.Progress] = []  # type: ignore[attr-defined]
    converted("a.txt", progress=seen.append)
    assert list(dict.fromkeys(h.stage for h in seen)) == ["reading", "merging", "writing"]
    assert seen[0].total == Path("a.txt").stat().st_size and all(h.share is None or 0 <= h.share <= 1 for h in seen)
