"""The report: what is in the file, and what a person sees of it, by its text and, for its script, by node."""

from __future__ import annotations

import html
import itertools
import json
import re
import shlex
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from report_cases import NASTY, SPECS, meta, real_rows, run, write

from benchmarks import compare
from benchmarks.harness import report
from benchmarks.harness import results as measurements
from benchmarks.harness.report.figures import figures
from lagcolor.generate import from_spec

ROOT = Path(__file__).parents[2]
SECTIONS = ["pareto", "speedup", "floors", "scaling", "rounds", "degrees"]


@pytest.fixture(scope="module")
def results_file(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("results") / "results.jsonl", real_rows())


@pytest.fixture(scope="module")
def results(results_file) -> measurements.Results:
    return measurements.read(results_file)


@pytest.fixture(scope="module")
def page(results_file) -> Path:
    out = results_file.with_name("report.html")
    assert compare.main(["report", str(results_file), "--out", str(out), "--title", f"A {NASTY}"]) == 0
    return out


def table_of(page: Path) -> list[list[str]]:
    """The cells of the table, the names of its columns first."""
    (table,) = re.findall(r"<table>.*?</table>", page.read_text(), re.DOTALL)
    lines = re.findall(r"<tr.*?</tr>", table)
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.split(r"</t[hd]>", line)[:-1]] for line in lines]


def pictures_of(page: Path) -> dict[str, list[str]]:
    """The pictures of each section."""
    sections = re.findall(r'<section id="(\w+)">(.*?)</section>', page.read_text(), re.DOTALL)
    return {name: re.findall(r"<svg.*?</svg>", body, re.DOTALL) for name, body in sections}


# ---- the file


class Tags(HTMLParser):
    """The elements of a page and what they refer to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[str | None] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "action", "data")]


def test_the_page_needs_nothing_but_itself(page):
    text = page.read_text()
    tags = Tags(text)
    assert all(address.startswith("#") for address in tags.addresses)
    assert tags.names.count("script") == 1  # none out of a name in the data
    assert not {"link", "img", "iframe", "object"} & set(tags.names)
    assert not re.search(r"@import|url\((?!#)", text)
    assert "default-src 'none'" in text
    assert f"<title>{html.escape(f'A {NASTY}')}</title>" in text


def test_the_table_has_every_run(page, results):
    heads, *rows = table_of(page)
    assert len(rows) == len(results.runs)
    said = {
        (r[heads.index("graph")], r[heads.index("code")], r[heads.index("status")], r[heads.index("colors")])
        for r in rows
    }
    assert said == {(r.graph, r.code, r.status, "" if r.colors is None else str(r.colors)) for r in results.runs}
    of = [(r[heads.index("graph")], float(r[heads.index("ms")])) for r in rows if r[heads.index("ms")]]
    assert of == sorted(of)
    assert "3 without a valid coloring, 3 of codes that were not installed. Measured on Test CPU" in page.read_text()


def test_every_section_has_its_pictures(page, results):
    drawn = pictures_of(page)
    assert list(drawn) == [*SECTIONS, "table", "origin"]
    counts = {name: len(svgs) for name, svgs in drawn.items()}
    assert [counts[name] for name in SECTIONS] == [1, 1, 1, 1, len(SPECS), len(SPECS)]
    for svg in itertools.chain(*drawn.values()):
        ElementTree.fromstring(svg)
    text = page.read_text()
    used = set(re.findall(r"url\(#(\w+)\)|href=\"#(\w+)\"", text))
    assert {a or b for a, b in used} <= set(re.findall(r'id="(\w+)"', text))


def test_a_page_has_pictures_of_the_graphs_with_the_most_runs(results):
    names = [name for name, _ in figures(results, most=1)]
    assert [name for name in names if name.startswith(("rounds", "degrees"))] == ["rounds-rgg_8"]
    assert len(names) < len([name for name, _ in figures(results)])


def made(path: Path, *more: str) -> Path:
    out = path.with_suffix(".html")
    assert compare.main(["report", str(path), "--out", str(out), *more]) == 0
    return out


def test_degrees_of_another_graph_or_a_large_one_are_not_made_up(tmp_path):
    G = from_spec("rgg:8")
    rows = [meta(), run("a", "x", spec="rgg:8", n=G.n, m=G.m + 2), run("b", "x", spec="rgg:8", n=G.n, m=G.m)]
    path = write(
        tmp_path / "r.jsonl", [*rows, run("c", "x", spec="cycle:3", n=3, m=6), run("d", "x", spec="nothing:8", m=9)]
    )
    for most, known in ((G.m - 1, ["c"]), (G.m, ["b", "c"])):
        results = measurements.read(path)
        report.degrees(results, most)
        assert [name for name, facts in results.graphs.items() if facts.degrees] == known
    assert any("no degrees of d" in note for note in results.notes)


def test_one_run_alone_and_a_failed_one_make_a_page(tmp_path):
    odd = {
        "floor_ms": None,
        "colors": 1,
        "order_ms": None,
        "trace": [{"colored": float("nan"), "active": float("inf")}],
    }
    assert len(pictures_of(made(write(tmp_path / "one.jsonl", [meta(), run("g.mtx", "a", **odd)])))["pareto"]) == 1
    bad = run("g.mtx", "a", status="failed", colors=None, ms=None, floor_ms=None)
    assert list(pictures_of(made(write(tmp_path / "none.jsonl", [meta(), bad])))) == ["table", "origin"]


DOM = """
const cell = (text) => ({textContent: text});
const row = (...cells) => ({cells: cells.map(cell), hidden: false});
const listeners = {}, attributes = [{}, {}];
const body = {rows: [row("b", "10"), row("a", "9"), row("c", "")], append(...rows) { this.rows = rows; }};
const heads = attributes.map((has, i) => ({
  getAttribute: (name) => has[name], setAttribute: (name, value) => { has[name] = value; },
  removeAttribute: (name) => delete has[name],
  querySelector: () => ({addEventListener: (_, f) => { listeners[i] = f; }}),
}));
const filter = {value: "", addEventListener: (_, f) => { listeners.filter = f; }}, said = {};
globalThis.document = {
  querySelector: (name) => ({tbody: body, input: filter})[name] ?? said, querySelectorAll: () => heads,
};
require(process.argv[1]);
const shown = () => body.rows.filter((r) => !r.hidden).map((r) => r.cells[0].textContent).join("");
const out = [said.textContent];
for (const i of [1, 1, 0]) { listeners[i](); out.push(shown()); }
filter.value = "B 1"; listeners.filter(); out.push(shown(), said.textContent);
console.log(JSON.stringify(out));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_a_click_sorts_another_turns_round_and_words_filter():
    script = Path(report.__file__).with_name("table.js")
    done = subprocess.run(["node", "-e", DOM, str(script)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["3 of 3 runs", "abc", "bac", "abc", "b", "1 of 3 runs"]


# ---- the command


def test_the_command_says_what_it_did(results_file, results, tmp_path, capsys):
    n = len(results.runs)
    out = tmp_path / "x.html"
    assert compare.main(["report", str(results_file), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"page": str(out), "runs": n, "pictures": []}
    assert compare.main(["report", str(results_file.parent), "--out", str(out), "--baseline", "luby_is"]) == 0
    assert f"x.html: {n} runs on 4 graphs\n" in capsys.readouterr().out
    assert "Over luby_is, random: " in out.read_text()


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--out", "x.pdf"], "must end in .html"),
        (["--out", "nowhere/x.html"], "there is no folder nowhere"),
        (["--out", "no.html"], "--out no.html: is a folder"),
        (["--baseline", "nobody"], "no code 'nobody' in these results; there are: "),
        (["--degrees", "nan"], "--degrees must be a number of stored entries"),
        (["--pictures", __file__], "test_report.py: is no folder"),
    ],
)
def test_wrong_options_leave_no_file(results_file, tmp_path, monkeypatch, capsys, more, complaint):
    monkeypatch.chdir(tmp_path)
    Path("no.html").mkdir()
    assert compare.main(["report", str(results_file), *more]) == 2
    assert complaint in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["no.html"]


def test_the_page_of_the_docs_works_as_it_is_written(tmp_path, monkeypatch):
    """The commands and the sketch in docs/measurements/report.md, on results with the graphs that they name."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    rows = [meta()]
    for graph, m in (("rgg:19", 6_000_000), ("rgg:20", 13_000_000)):
        rows.append(run(graph, "greedy", m=m, trace=[{"round": k, "colored": 5 - k, "active": 9} for k in range(3)]))
        for order, ms in (("natural", 40.0), ("largest_first", 60.0)):
            rows.append(run(graph, "networkx greedy", m=m, style="peer", order=order, ms=ms))
        rows.append(run(graph, "auto:fast", m=m, style="auto", order="", ms=1.0))
    (tmp_path / "results").mkdir()
    write(tmp_path / "results" / "results.jsonl", rows)
    text = (ROOT / "docs" / "measurements" / "report.md").read_text()
    (shell,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    commands = [shlex.split(line, comments=True)[1:] for line in shell.replace("\\\n", " ").splitlines()]
    assert all(words[:2] == ["-m", "benchmarks.compare"] for words in commands)
    for words in commands[1:]:
        assert words[2] == "report" and compare.main(words[2:]) == 0
    assert "Over networkx greedy, natural: " in (tmp_path / "page.html").read_text()
    sketch = next(code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if ">>>" not in code)
    exec(compile(sketch, "docs/measurements/report.md", "exec"), {})
    pyplot.close("all")
    assert {"report.html", "page.html", "figures", "fronts.svg", "qualities.svg"} <= {
        p.name for p in tmp_path.iterdir()
    }
