"""Tables of the pages: they are current, name their sources, and are refused if these do not go together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import result_tables as tables
import table_sources
import update_tables
from report_cases import meta, run, write
from table_sources import SourceError

import lagcolor
from benchmarks import baselines, real_graphs
from benchmarks.harness.results import read
from benchmarks.papers import ecl_gc_rivals, feluca_rivals, ipgc, osama

ROOT = Path(__file__).parents[2]
PEERS = (
    "graph,n,directed_edges,code,threads,colors,ms,valid\n"
    "g,256,2000,A B,1,6,0.5,yes\ng,256,2000,C,2,5,0.25,no\nh,256,1998,A B,1,7,8,yes\nh,256,1998,C,2,4,0.75,yes\n"
)
ABOUT = {"machine": "a big machine", "how": "best of 3", "unknown": "flags", "missing": "a crash"}


PAGES = [page for page in update_tables.pages() if update_tables.TABLE.search(page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_tables_are_fresh(page: Path) -> None:
    assert update_tables.current(page) == page.read_text(), f"{page.name} is stale: run `make tables`"


def test_the_docs_list_every_algorithm_and_order() -> None:
    for page, names in (("algorithms/index", lagcolor.ALGORITHMS), ("explanations/orders", lagcolor.ORDERS)):
        text = (ROOT / "docs" / f"{page}.md").read_text()
        for name in names:
            assert f"| {name} |" in text


@pytest.fixture
def peers(tmp_path: Path) -> Path:
    (tmp_path / "sources.json").write_text(json.dumps({"peers.csv": ABOUT}))
    path = tmp_path / "peers.csv"
    path.write_text(PEERS)
    return path


def test_figures_of_others_are_cited_and_marked(tmp_path: Path, peers: Path) -> None:
    rows = [meta(), run("g", "greedy", ms=1.0), run("h", "greedy", ms=2.0), run("i", "greedy", ms=4.0)]
    file = str(write(tmp_path / "bench.jsonl", rows))
    text = tables.results([file, str(peers), "codes", "greedy", "Abe=A B", "C ×2"]).splitlines()
    assert text[2:5] == [
        "| g | 1 (8) | 0.5 (6) | improper |",
        "| h | 2 (8) | 8 (7)* | 0.75 (4)* |",
        "| i | 4 (8) | – | – |",
    ]
    for word in ("a big machine", "–: a crash", "*: another instance", "`peers.csv`", "not run by us", "`bench.jsonl`"):
        assert word in text[-1]
    assert tables.against(["fastest", "greedy", file, str(peers)]).splitlines()[4:6] == [
        "| g | 1 (8) | 100.0 | A B, by others: 0.5 (6) | 2.00 |",
        "| h | 2 (8) | 200.0 | C ×2, by others: 0.75 (4)* | 2.67 |",
    ]
    peers.with_name("sources.json").write_text("{}")
    with pytest.raises(SourceError, match=r"peers\.csv is not in sources\.json"):
        tables.codes([file, str(peers)])


@pytest.mark.parametrize(
    ("commits", "why"),
    [
        (["abc1234", "def5678"], "more than one commit"), (["abc1234+"], "uncommitted changes"), ([""], "not name"),
        (["abc1234", "abc1234def56"], None),
    ],
)  # fmt: skip
def test_one_commit_of_a_clean_tree(tmp_path: Path, commits: list[str], why: str | None) -> None:
    rows = []
    for i, commit in enumerate(commits):
        rows += [meta(commit=commit), run(f"g{i}", "greedy"), run(f"g{i}", "auto:fast", style="auto")]
    words = [str(write(tmp_path / "bench-1.jsonl", rows))]
    for make in (tables.graphs, tables.codes, tables.qualities):
        if why is None:
            make(words)
        else:
            with pytest.raises(SourceError, match=why):
                make(words)


def test_a_refused_table_is_replaced_by_the_reason_and_the_command_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of two commits, one after a text that names a library without figures, and one without rows."""
    rows = [meta(commit="abc1234"), run("g", "greedy"), meta(commit="def5678"), run("h", "greedy")]
    write(tmp_path / "mixed.jsonl", rows)
    write(tmp_path / "clean.jsonl", rows[:2])
    page = tmp_path / "README.md"
    texts = (("", "codes mixed"), ("ColPack is here.\n\n", "codes clean"), ("", "codes clean"), ("", "rivals clean"))
    page.write_text("".join(f"{text}<!-- {words}.jsonl -->\n| stale |\n<!-- end -->\n" for text, words in texts))
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setattr(update_tables, "ROOT", tmp_path)
    assert update_tables.main() == 1
    mixed, named, clean, empty = page.read_text().split("<!-- end -->\n")[:4]
    assert mixed.splitlines()[1:] == ["No table: measured at more than one commit (abc1234, def5678)."]
    assert named.endswith("No table: the text before it names ColPack, without a figure in it.\n")
    assert empty.endswith("No table: it has no rows.\n")
    assert "| code | g |" in clean and "README.md" in capsys.readouterr().err


NAMED, OTHER = "abc1234def56", "def5678abc90"


@pytest.mark.parametrize(
    ("of", "listed", "why"),
    [
        (NAMED, "", None), (OTHER, f"bench.jsonl {OTHER} an H200", None),
        (OTHER, "", f"bench.jsonl is of commit {OTHER}, and COMMIT names {NAMED}: measure it again at {NAMED}, or"),
        (OTHER, "bench.jsonl 1234567 an H200", f"bench.jsonl is of commit {OTHER}, and COMMIT names 1234567: measure"),
        (NAMED, f"bench.jsonl {NAMED} an H200", f"bench.jsonl is of commit {NAMED}, which COMMIT names: remove"),
        (NAMED, f"gone.jsonl {OTHER} an H200", "COMMIT lists gone.jsonl, and there is no such file: remove its line"),
        (OTHER, f"bench.jsonl {OTHER}", "COMMIT has a commit in its first line, and a file, its commit and a reason"),
    ],
)  # fmt: skip
def test_result_files_are_of_the_named_commit_or_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str, listed: str, why: str | None
) -> None:
    """A table and `make tables` refuse other files, and `make tables` refuses lines of `COMMIT` that are not needed."""
    file = write(tmp_path / "bench.jsonl", [meta(commit=of), run("g", "greedy")])
    (tmp_path / "COMMIT").write_text(f"{NAMED}\n# not of it yet\n{listed}\n")
    assert [message[: len(why or "")] for message in table_sources.check_folder(tmp_path)] == [why] * (why is not None)
    monkeypatch.setattr(update_tables, "RESULTS", tmp_path)
    monkeypatch.setattr(update_tables, "pages", list)
    assert update_tables.main() == (why is not None)
    if why is None or "gone" in listed:
        tables.codes([str(file)])
    else:
        with pytest.raises(SourceError, match=why):
            tables.codes([str(file)])


def test_committed_result_files_are_of_the_named_commit_or_listed() -> None:
    assert list(table_sources.check_folder(update_tables.RESULTS)) == []


def test_the_codes_of_other_authors_are_in_the_files_of_their_tables() -> None:
    """A code of another name would leave a column empty."""
    folder = update_tables.RESULTS
    files = [path for name in ("bench-h200-*", "qualities-cpu-*", "../peers/*.csv") for path in folder.glob(name)]
    known = {run.code for run in read(files).runs}
    papers = (
        *ecl_gc_rivals.ON_GPU,
        *ecl_gc_rivals.PARALLEL,
        *ecl_gc_rivals.SERIAL,
        *ipgc.RIVALS,
        *feluca_rivals.RIVALS,
    )
    codes = [ecl_gc_rivals.OWN_ON_CPU, *osama.THEIRS.values(), *(r.theirs for r in papers if r.theirs)]
    assert {real_graphs.RIVAL_CODE, *baselines.RIVALS.values(), *(code.name for code in codes)} <= known


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks/peers").glob("*.csv")), ids=lambda path: path.name)
def test_every_committed_table_of_others_says_where_it_is_from(path: Path) -> None:
    about = json.loads((path.parent / table_sources.SOURCES).read_text())[path.name]
    assert all(about[key] for key in ABOUT)
    page = (path.parent / "README.md").read_text()
    assert path.name in page and about["machine"] in page and about["missing"] in page
