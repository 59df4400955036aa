"""Graphs as folders of arrays: what is written is read back, and any damage is found and named."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from convert_cases import contents

import lagcolor
from lagcolor.io.folder import layout, writer
from lagcolor.scale.disk import Folder, Writer

GRAPHS = ["path:1", "star:9", "rmat:8"]


def same(a: lagcolor.Graph, b: lagcolor.Graph) -> bool:
    return np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices) and a.labels == b.labels


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with a graph."""
    lagcolor.io.write(tmp_path / "g.csr", "rmat:8")
    return tmp_path / "g.csr"


@pytest.mark.parametrize("spec", GRAPHS)
def test_round_trip(tmp_path: Path, spec: str) -> None:
    G, path = lagcolor.Graph.of(spec), tmp_path / "g.csr"
    lagcolor.io.write(path, G)
    folder = Folder.open(path)
    assert (folder.n, folder.entries, folder.n_edges) == (G.n, G.m, G.n_edges)
    assert same(G, lagcolor.Graph.of(path)) and same(G, lagcolor.io.read(f"{path}/"))
    folder.check()
    assert np.array_equal(np.load(path / "indices.npy", mmap_mode="r"), G.indices)
    assert np.array_equal(np.load(path / "indptr.npy"), G.indptr)


def test_no_vertices_and_no_edges(tmp_path: Path) -> None:
    for n in (0, 1, 5):
        path = tmp_path / f"{n}.csr"
        with Writer(path, n) as out:
            out.append([0] * n, [])
            folder = out.publish()
        folder.check()
        assert (folder.n, folder.entries) == (n, 0)
        assert lagcolor.color(path).n_colors == min(n, 1)


@pytest.mark.parametrize("labels", [["Ann", "Bob, jr.", "Ωmega"], [7, -3, 2**62], ["", "1", "2"], [2**63, 1, "a"]])
def test_labels(tmp_path: Path, labels: list[object]) -> None:
    G = lagcolor.Graph.of("path:3")
    lagcolor.io.write(tmp_path / "g.csr", lagcolor.Graph(G.indptr, G.indices, labels))
    Folder.open(tmp_path / "g.csr").check()
    found = lagcolor.Graph.of(tmp_path / "g.csr").labels
    assert found == (labels if all(type(x) is int for x in labels) else [str(x) for x in labels])


def test_blocks_are_the_rows_in_order(made: Path) -> None:
    folder, G = Folder.open(made), lagcolor.Graph.of("rmat:8")
    for entries in (1, 7, 10**6):
        ranges = list(folder.blocks(entries))
        assert [b for b, _ in ranges] == [0, *(e for _, e in ranges[:-1])] and ranges[-1][1] == G.n
        for begin, end in ranges:
            offsets, indices = folder.rows(begin, end)
            assert np.array_equal(offsets, G.indptr[begin : end + 1] - G.indptr[begin])
            assert np.array_equal(indices, G.indices[G.indptr[begin] : G.indptr[end]])
            assert offsets[-1] <= entries or end == begin + 1
            assert end - begin <= entries


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with Writer(tmp_path / "g.csr", 3) as out:
        with pytest.raises(lagcolor.GraphError, match="make 2 entries, and there are 1"):
            out.append([1, 1], [1])
        with pytest.raises(lagcolor.GraphError, match="not among 0 … 2"):
            out.append([1], [3])
        with pytest.raises(lagcolor.GraphError, match="4 rows are more than the 3 vertices"):
            out.append([0] * 4, [])
        with pytest.raises(lagcolor.GraphError, match="0 rows are fewer"):
            out.publish()
        with pytest.raises(lagcolor.GraphError, match="2 labels for 3 vertices"):
            out.name(["a", "b"])
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, values: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer.Output, "append", full)
    with pytest.raises(OSError, match="No space"):
        lagcolor.io.write(tmp_path / "g.csr", "path:3")
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_already(tmp_path: Path, made: Path) -> None:
    with pytest.raises(FileExistsError, match="there is a graph already"):
        Writer(made, 3)
    lagcolor.io.write(made, "path:3")  # as files are
    assert lagcolor.Graph.of(made).n == 3
    assert [p.name for p in tmp_path.iterdir()] == ["g.csr"]
    (made / "names.npy").mkdir()  # a file of the graph would have this name
    with pytest.raises(FileExistsError, match=r"names\.npy in it is no file of the graph, and would be deleted"):
        Writer(made, 3, force=True)
    (made / "names.npy").rmdir()
    with Writer(made, 0, force=True) as out:
        (made / "thesis.txt").write_text("years of work")
        with pytest.raises(FileExistsError, match=r"thesis\.txt in it .*: move it, or choose another folder"):
            out.publish()
    (made / "thesis.txt").rename(tmp_path / "thesis.txt")
    lagcolor.io.write(made, "path:4")
    assert lagcolor.Graph.of(made).n == 4


def test_a_folder_that_is_in_use_stays(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows renames no folder that has an open file."""
    before = contents(made)

    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(13, "Access is denied", str(source), 5, str(target))

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(PermissionError, match="close its readers") as e:
        lagcolor.io.write(made, "path:3")
    assert e.value.filename == str(made)
    assert contents(made) == before
    assert [file.name for file in made.parent.iterdir()] == ["g.csr"]


def test_a_folder_is_neither_a_stream_nor_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("-", "g.csr.gz"):
        with pytest.raises(lagcolor.FormatError, match="a folder"):
            lagcolor.io.write(path, "path:3", format="csr")
        with pytest.raises(lagcolor.FormatError, match="a folder"):
            lagcolor.io.read(path, format="csr")
    assert list(tmp_path.iterdir()) == []


def change(path: Path, at: int, by: bytes) -> None:
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(by)


def edit(path: Path, **changes: object) -> None:
    header = json.loads((path / "graph.json").read_text()) | changes
    (path / "graph.json").write_text(json.dumps(header))


def about(elements: int) -> dict[str, object]:
    return {"dtype": "<i8", "elements": elements, "checksums": [0]}


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no header": (lambda p: (p / "graph.json").unlink(), "a folder without graph.json"),
    "no JSON": (lambda p: (p / "graph.json").write_text("{"), "graph.json is no JSON"),
    "another format": (lambda p: edit(p, format="zarr"), "not one of a graph's folder"),
    "another version": (lambda p: edit(p, version=2), "version 2 of the folder"),
    "large number": (lambda p: edit(p, arrays={"indptr": about(10**400), "indices": about(0)}), "has 1 checksums of"),
    "notes": (lambda p: edit(p, notes=[]), "notes are"),
    "wide indices": (
        lambda p: edit(p, arrays={"indptr": about(1), "indices": about(1)}),
        "indices.npy has <i8, and numbers of 256 vertices are <i4",
    ),
    "no arrays": (lambda p: edit(p, arrays={}), "does not list indptr"),
    "another n": (lambda p: edit(p, n=7), "there are 8"),
    "no indices": (lambda p: (p / "indices.npy").unlink(), "there is no indices.npy"),
    "cut short": (lambda p: os.truncate(p / "indices.npy", 500), "has 500 bytes, not"),
    "another array": (lambda p: change(p / "indptr.npy", 0, b"\0"), "does not begin as an array"),
    "indptr": (lambda p: change(p / "indptr.npy", 128, b"\1"), "goes from 1 to"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_that_opening_finds(made: Path, name: str) -> None:
    damage, message = DAMAGES[name]
    damage(made)
    for read in (Folder.open, lagcolor.color):
        with pytest.raises(lagcolor.FormatError, match=message):
            read(made)


@pytest.mark.parametrize("array", ["indptr", "indices"])
def test_a_flipped_bit_is_found(made: Path, array: str) -> None:
    change(made / f"{array}.npy", 128 + 200, b"\x55")
    message = rf"bytes 128 to \d+ of {array}.npy are not those that were written"
    with pytest.raises(lagcolor.FormatError, match=message):
        Folder.open(made).check()
    with pytest.raises(lagcolor.FormatError, match=message):
        lagcolor.Graph.of(made)


def named(path: Path, text: bytes, ends: list[int]) -> Folder:
    """A folder of as many vertices as ends, with names that nothing has looked at."""
    with Writer(path, len(ends)) as out:
        out.append([0] * len(ends), [])
        out.extra("names", iter([np.frombuffer(text, np.uint8)]))
        out.extra("names_end", iter([np.array(ends)]))
        return out.publish()


@pytest.mark.parametrize(
    ("text", "ends", "message"),
    [
        (b"Ann\xffBob", [3, 7], "the name of vertex 1 in names.npy is no UTF-8: byte 3"),
        ("Ωmega".encode(), [1, 6], "the name of vertex 0 in names.npy is no UTF-8: byte 0"),
        (b"AnnBob", [4, 3, 6], "names_end.npy falls from 4 to 3 at vertex 1"),
        (b"AnnBob", [-1, 6], "names_end.npy falls from 0 to -1 at vertex 0"),
        (b"AnnBob", [3, 5], "names_end.npy goes up to 5, and names.npy has 6 bytes"),
    ],
)
def test_names_that_are_none(tmp_path: Path, text: bytes, ends: list[int], message: str) -> None:
    folder = named(tmp_path / "g.csr", text, ends)
    with pytest.raises(lagcolor.FormatError, match=rf"g\.csr: damaged folder of a graph: {message}.*; make it anew"):
        folder.labels  # noqa: B018
    with pytest.raises(lagcolor.FormatError, match=message):
        lagcolor.color(folder.path, memory="10MB").to_dict()


@pytest.mark.parametrize("labels", [["Ann", "Bob", "Eve"], [70, 80, 90]])
def test_a_flipped_bit_of_labels_is_found(tmp_path: Path, labels: list[object]) -> None:
    G, path = lagcolor.Graph.of("path:3"), tmp_path / "g.csr"
    lagcolor.io.write(path, lagcolor.Graph(G.indptr, G.indices, labels))
    for array in ("names", "names_end") if labels[0] == "Ann" else ("labels",):
        good = (path / f"{array}.npy").read_bytes()
        for place in range(128, len(good)):
            change(path / f"{array}.npy", place, bytes([good[place] ^ 1]))
            with pytest.raises(lagcolor.FormatError, match=rf"bytes 128 to \d+ of {array}\.npy are not those"):
                Folder.open(path).labels  # noqa: B018
        (path / f"{array}.npy").write_bytes(good)
    assert Folder.open(path).labels == labels


def test_a_flipped_bit_of_the_header_is_found_or_harmless(tmp_path: Path) -> None:
    G, path = lagcolor.Graph.of("path:3"), tmp_path / "g.csr"
    lagcolor.io.write(path, lagcolor.Graph(G.indptr, G.indices, ["Ann", "Bob", "Eve"]))
    good, found, tries = (path / "graph.json").read_bytes(), 0, 0
    for place in range(len(good)):
        tries += 1
        (path / "graph.json").write_bytes(good[:place] + bytes([good[place] ^ 1 << place % 8]) + good[place + 1 :])
        try:
            folder = Folder.open(path)
            folder.check()
        except lagcolor.FormatError:
            found += 1
        else:
            assert (folder.n, folder.entries, folder.labels) == (3, 4, ["Ann", "Bob", "Eve"])
    assert found > 0.7 * tries


@pytest.mark.parametrize(
    ("lengths", "indices", "message"),
    [
        ([2, 1, 1], [2, 1, 0, 0], "entry 1 of row 0 in indices.npy is 1, not above the one before"),
        ([2, 1, 0], [1, 1, 0], "not above the one before"),
        ([1, 1, 1], [1, 0, 2], "entry 0 of row 2 in indices.npy is 2, a self-loop"),
        ([1, 1, 1], [1, 0, 0], "row 2 has the entry 0, and row 0 has no 2"),
        ([1, 1, 1], [1, 2, 0], "row 0 has the entry 1, and row 1 has no 0"),
    ],
)
def test_rows_that_are_no_graph(tmp_path: Path, lengths: list[int], indices: list[int], message: str) -> None:
    with Writer(tmp_path / "g.csr", 3) as out:
        out.append(lengths, indices)
        folder = out.publish()
    with pytest.raises(lagcolor.FormatError, match=message):
        folder.check()


def test_any_missing_entry_is_found(tmp_path: Path) -> None:
    G = lagcolor.Graph.of("rmat:6")
    for lost in np.random.default_rng(0).integers(0, G.m, 5).tolist():
        lengths = np.diff(G.indptr)
        lengths[np.searchsorted(G.indptr, lost, side="right") - 1] -= 1
        with Writer(tmp_path / "g.csr", G.n, force=True) as out:
            out.append(lengths, np.delete(G.indices, lost))
            folder = out.publish()
        with pytest.raises(lagcolor.FormatError, match=r"row .* has the entry"):
            folder.check()


def test_vertices_past_int32(tmp_path: Path) -> None:
    """A folder may have them, in int64; a graph in memory not. Its offsets are a file of holes."""
    n, path = 2**31, tmp_path / "g.csr"
    path.mkdir()
    about = {}
    for name, count in (("indptr", n + 1), ("indices", 0)):
        (path / f"{name}.npy").write_bytes(layout.array_header(np.dtype("<i8"), count))
        os.truncate(path / f"{name}.npy", 128 + 8 * count)
        about[name] = {"dtype": "<i8", "elements": count, "checksums": [0] * -(-8 * count // layout.BLOCK)}
    header = {"format": layout.FORMAT, "version": 1, "block": layout.BLOCK, "n": n, "entries": 0, "arrays": about}
    (path / "graph.json").write_text(json.dumps(header))
    assert Folder.open(path).n == n
    with pytest.raises(lagcolor.GraphError, match=r"2147483648 vertices are more than the \d+"):
        lagcolor.Graph.of(path)
    for folder in (path, Folder.open(path)):
        for read in (lagcolor.scale.disk.mapped, lambda x: lagcolor.color(x, memory="1GB")):
            with pytest.raises(lagcolor.GraphError, match=r"2147483648 vertices are more than the \d+"):
                read(folder)
