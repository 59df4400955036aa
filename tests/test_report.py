"""The report: what is in the file, and what a person sees of it, looked at in a headless browser."""

from __future__ import annotations

import html
import itertools
import json
import os
import re
import shlex
import sys
from html.parser import HTMLParser
from pathlib import Path

import browser
import numpy as np
import pytest
from report_cases import CODES, NASTY, SPECS, meta, real_rows, run, write

import lagcolor
from lagcolor import cli
from lagcolor.bench import report
from lagcolor.bench import results as measurements
from lagcolor.generate import from_spec

ROOT = Path(__file__).parents[1]
SECTIONS = ["pareto", "speedup", "floors", "rounds", "scaling", "degrees", "table"]


@pytest.fixture(scope="module")
def results_file(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("results") / "results.jsonl", real_rows())


@pytest.fixture(scope="module")
def results(results_file) -> measurements.Results:
    return measurements.read(results_file)


@pytest.fixture(scope="module")
def page(results_file) -> Path:
    out = results_file.with_name("report.html")
    assert cli.main(["report", str(results_file), "--out", str(out), "--title", f"A {NASTY}"]) == 0
    return out


def data_of(page: Path) -> dict:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page.read_text(), re.DOTALL)
    return json.loads(found[1])


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
    assert tags.addresses == []
    assert tags.names.count("script") == 2  # the data and the code: none out of a name in the data
    assert not {"link", "img", "iframe", "object"} & set(tags.names)
    assert not re.search(r"@import|url\(", text)
    assert "default-src 'none'" in text
    assert f"<title>{html.escape(f'A {NASTY}')}</title>" in text


def test_the_page_holds_every_run(page, results):
    data = data_of(page)
    assert len(data["runs"]) == len(results.runs)
    for row, r in zip(data["runs"], results.runs, strict=True):
        assert (row["graph"], row["code"], row["status"], row["usable"]) == (r.graph, r.code, r.status, r.usable)
        assert (row.get("colors"), row.get("ms"), row.get("rounds")) == (r.colors, r.ms, r.rounds)
        assert row["label"] == results.label(r)
        if r.trace:
            assert row["trace"]["colored"] == [one.get("colored") or 0 for one in r.trace]


def test_numbers_without_a_word_in_json_are_left_out(tmp_path):
    path = write(
        tmp_path / "r.jsonl", [meta(), run("g", "a", trace=[{"colored": float("nan"), "active": float("inf")}])]
    )
    trace = json.loads(json.dumps(data_of(made(path))["runs"][0]["trace"], allow_nan=False))
    assert trace == {"active": [None], "colored": [None], "conflicts": [0]}


def made(path: Path, *more: str) -> Path:
    out = path.with_suffix(".html")
    assert cli.main(["report", str(path), "--out", str(out), *more]) == 0
    return out


def test_degrees_are_those_of_the_graphs(page):
    graphs = data_of(page)["graphs"]
    assert {name for name, g in graphs.items() if "degrees" in g} == set(SPECS)
    for spec in SPECS:
        bins = graphs[spec]["degrees"]
        degree = np.diff(from_spec(spec).indptr)
        ends = [low for low, _ in bins[1:]] + [10**9]
        assert bins == [
            [low, int(((degree >= low) & (degree < end)).sum())] for (low, _), end in zip(bins, ends, strict=True)
        ]
        assert sum(count for _, count in bins) == len(degree)


def test_degrees_of_another_graph_or_a_large_one_are_not_made_up(tmp_path):
    G = from_spec("rgg:8")
    rows = [meta(), run("a", "x", spec="rgg:8", n=G.n, m=G.m + 2), run("b", "x", spec="rgg:8", n=G.n, m=G.m)]
    path = write(
        tmp_path / "r.jsonl", [*rows, run("c", "x", spec="cycle:3", n=3, m=6), run("d", "x", spec="nothing:8", m=9)]
    )
    graphs = data_of(made(path, "--degrees", str(G.m - 1)))["graphs"]
    assert [name for name, g in graphs.items() if "degrees" in g] == ["c"]
    page = made(path)
    assert [name for name, g in data_of(page)["graphs"].items() if "degrees" in g] == ["b", "c"]
    assert any("no degrees of d" in note for note in data_of(page)["notes"])


# ---- the command


def test_the_command_says_what_it_did(results_file, results, tmp_path, capsys):
    n = len(results.runs)
    out = tmp_path / "x.html"
    assert cli.main(["report", str(results_file), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"page": str(out), "runs": n, "pictures": []}
    assert cli.main(["report", str(results_file.parent), "--out", str(out), "--baseline", "dsatur"]) == 0
    assert f"x.html: {n} runs on 5 graphs\n" in capsys.readouterr().out
    assert data_of(out)["baseline"] == "dsatur, largest_first"


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
    assert cli.main(["report", str(results_file), *more]) == 2
    assert complaint in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["no.html"]


def test_without_matplotlib_there_is_no_page_half_done(results_file, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = ["--out", str(tmp_path / "x.html")]
    assert cli.main(["report", str(results_file), *out, "--pictures", str(tmp_path / "figures")]) == 2
    assert "pip install 'lagcolor[plot]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert cli.main(["report", str(results_file), *out]) == 0  # the page needs none


def test_every_picture_is_written(results_file, tmp_path):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "figures"
    made_here = ["--out", str(tmp_path / "x.html"), "--pictures", str(folder), "--format", "png"]
    assert cli.main(["report", str(results_file), *made_here]) == 0
    names = {f.name for f in folder.iterdir()}
    graphs = [spec.replace(":", "_") for spec in SPECS]
    expected = {"pareto", "speedup", "floors", "scaling-rgg"}
    expected |= {f"{kind}-{graph}" for kind in ("rounds", "degrees") for graph in graphs}
    assert names == {f"{name}.png" for name in expected}
    assert all(f.read_bytes().startswith(b"\x89PNG") for f in folder.iterdir())


def test_the_page_of_the_docs_works_as_it_is_written(tmp_path, monkeypatch):
    """The commands and the sketch in docs/report.md, on results with the graphs that they name."""
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
    text = (ROOT / "docs" / "report.md").read_text()
    (shell,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    commands = [shlex.split(line, comments=True)[1:] for line in shell.splitlines()]
    assert [words[0] for words in commands] == ["bench", "report", "report"]
    for words in commands[1:]:
        assert cli.main(words) == 0
    assert data_of(tmp_path / "page.html")["baseline"] == "networkx greedy, natural"
    sketch = next(code for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if ">>>" not in code)
    exec(compile(sketch, "docs/report.md", "exec"), {})
    pyplot.close("all")
    assert {"report.html", "page.html", "figures", "fronts.svg", "qualities.svg"} <= {
        p.name for p in tmp_path.iterdir()
    }


# ---- in a browser


@pytest.fixture(scope="module")
def window(page):
    program = browser.find()
    if program is None:
        pytest.skip("needs a browser: apt-get install chromium, or LAGCOLOR_BROWSER=its path")
    try:
        window = browser.Browser(program)
    except RuntimeError as e:
        pytest.skip(f"{program} does not start: {e}")
    yield window
    window.close()


@pytest.fixture
def opened(window, page):
    window.resize(1280)
    window.open(page)
    yield window
    assert window.complaints == []
    assert window.requests == [page.resolve().as_uri()]


def texts(window, selector: str) -> list[str]:
    return window.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")


def test_every_section_has_its_pictures(opened, results):
    assert opened.run("[...document.querySelectorAll('main section')].map((s) => s.id)") == [*SECTIONS, "origin"]
    count = {s: opened.run(f"document.querySelectorAll('#{s} figure > svg').length") for s in SECTIONS[:-1]}
    assert count["pareto"] == len({r.graph for r in results.usable})
    assert (count["speedup"], count["floors"], count["scaling"], count["degrees"]) == (1, 1, 1, len(SPECS))
    traced = {results.label(r) for r in results.on(SPECS[0]) if len(r.trace) > 1}
    assert count["rounds"] == len(traced) >= 3
    assert texts(opened, "#degrees p.facts") == ["Degrees of 1 other graph are not known."]
    sizes = opened.run("[...document.querySelectorAll('figure > svg')].map((s) => [s.clientWidth, s.clientHeight])")
    assert all(w > 200 and h > 60 for w, h in sizes)
    assert not re.search(r"NaN|undefined|Infinity|\[object", opened.run("document.querySelector('main').outerHTML"))


def test_absent_peers_are_no_failures(opened, results):
    status = [r.status for r in results.runs if not r.usable]
    failed, absent = len(status) - status.count("absent"), status.count("absent")
    assert failed and absent
    said = opened.run("document.getElementById('summary').textContent")
    assert (
        f", {failed} of them without a valid coloring, {absent} of codes that were not installed. Measured on" in said
    )


def test_a_mark_a_run_and_the_front_as_python_reckons_it(opened, results):
    for graph in [*SPECS, NASTY]:
        figure = f"#pareto figure[data-graph={json.dumps(graph)}]"
        marks = opened.run(f"document.querySelectorAll({json.dumps(figure + ' path.symbol')}).length")
        assert marks == len(results.on(graph))
        said = texts(opened, f"{figure} ol.names li")
        front = measurements.front(results.on(graph))
        assert len(said) == len(front)
        for i, (line, r) in enumerate(zip(said, front, strict=True), 1):
            assert line.startswith(f"{i}{results.label(r)} {r.colors} color")


def bars(window) -> dict[str, float]:
    names = texts(window, "#speedup svg text.name")
    half = len(names) // 2
    return {n: float(v.partition(" ×")[0].replace(",", "")) for n, v in zip(names[:half], names[half:], strict=True)}


def test_speedups_are_those_that_python_reckons(opened, results):
    for baseline in ("greedy, natural", "networkx, largest_first"):
        choose(opened, "#speedup select", baseline)
        expected = {s.label: pytest.approx(s.mean, rel=0.01) for s in measurements.speedups(results, baseline)}
        assert bars(opened) == expected
        assert list(bars(opened)) == list(expected)  # the fastest first
        assert bars(opened)[baseline] == 1


def test_bars_are_pale_where_graphs_of_the_baseline_are_missing_though_no_bar_shown_has_all(window, tmp_path):
    rows = [run(g, "base", ms=100.0) for g in ("g", "h")]
    rows += [run("g", f"quick{i}", ms=1.0 + i) for i in range(30)]
    window.resize(1280)
    window.open(made(write(tmp_path / "part.jsonl", [meta(), *rows]), "--baseline", "base"))
    assert window.run("document.querySelectorAll('#speedup rect.part').length") == 25
    assert "100 × (1 of 2)" in texts(window, "#speedup svg text.name")


def test_numbers_of_a_front_do_not_touch(window, tmp_path):
    rows = [run("g", f"a{k}", colors=k, ms=10.0 * 0.97**k) for k in (*range(8, 13), 90)]
    window.resize(1280)
    window.open(made(write(tmp_path / "front.jsonl", [meta(), *rows])))
    boxes = window.run("[...document.querySelectorAll('#pareto text.mark')].map((e) => { const b = e.getBBox();"
                       " return [b.x, b.x + b.width, b.y + 3, b.y + b.height - 3]; })")  # fmt: skip
    assert len(boxes) == 6
    for a, b in itertools.pairwise(boxes):
        assert a[1] <= b[0] or a[3] <= b[2], (a, b)


def choose(window, selector: str, value: str) -> None:
    window.run(
        f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
        "e.dispatchEvent(new Event('change')); })()"
    )


def test_without_the_ordering_times_change(opened, results):
    opened.run("document.querySelector('#controls input[type=checkbox]').click()")
    expected = measurements.speedups(results, ordering=False)
    assert bars(opened) == {s.label: pytest.approx(s.mean, rel=0.01) for s in expected}
    assert texts(opened, "#pareto figure svg text").count("ms, without ordering where it is known") == len(SPECS) + 1


def test_growth_is_that_of_python(opened, results):
    lines = measurements.scaling(results)["rgg"]
    said = texts(opened, "#scaling ol.names li")
    assert len(said) == len(lines) == opened.run("document.querySelectorAll('#scaling path.line').length")
    for label, points in lines.items():
        (line,) = (re.fullmatch(rf"\d+{re.escape(label)} ([\d.,]+) ms", one) for one in said if label in one)
        assert float(line[1].replace(",", "")) == pytest.approx(points[-1][1], rel=0.01)


def test_46_lines_are_numbered_in_the_order_of_the_numbers_beside_them(window, tmp_path):
    """Also where lines end at another size: from the lowest number up, as in the list, whose marks are those drawn."""
    rows = [run(f"rgg:{scale}", f"code{i:02}", m=1000 * 2**scale, ms=float(2**scale * (1 + (i * 17) % 46)),
                style=("kernel", "frontier", "algebra")[i % 3])
            for i in range(46) for scale in ((8, 9) if i % 4 else (8, 10))]  # fmt: skip
    page = made(write(tmp_path / "lines.jsonl", [meta(), *rows]))
    for width in (500, 1400):
        window.resize(width)
        window.open(page)
        marks = window.run(
            "[...document.querySelectorAll('#scaling text.mark')].map((e) => [Number(e.textContent), e.getBBox().y])"
        )
        assert [n for n, _ in sorted(marks, key=lambda mark: -mark[1])] == list(range(1, 47))
        heights = sorted(y for _, y in marks)
        assert min(b - a for a, b in itertools.pairwise(heights)) >= 12
        said = texts(window, "#scaling ol.names li")
        times = [float(re.search(r" ([\d.,]+) ms$", one)[1].replace(",", "")) for one in said]
        assert len(said) == 46 and times == sorted(times)
        assert window.run("document.querySelectorAll('#scaling li .symbol').length") == 46
    window.run("document.querySelectorAll('#scaling li')[5].dispatchEvent(new Event('click'))")
    window.run("document.querySelector('#scaling ol').dispatchEvent(new Event('pointerleave'))")
    assert window.run("document.querySelectorAll('#scaling .line.strong').length") == 1  # a click keeps it marked


@pytest.mark.parametrize("width", [375, 500, 768])
def test_no_column_is_off_the_screen_of_a_narrow_window(window, page, width):
    window.resize(width, phone=width < 500)
    window.open(page)
    script = "[...document.querySelectorAll('#table input[type=checkbox]')].forEach((e) => e.click())"
    spill = "(e) => { const r = e.getBoundingClientRect(); return r.width && (r.right > innerWidth || r.left < 0); }"
    for what in ("few", "all"):
        cells = f"[...document.querySelectorAll('#table td, #table th')].filter({spill})"
        off = window.run(f"{cells}.map((e) => e.textContent)")
        assert off == [], what
        named = window.run("document.querySelector('#table td[data-name=file]').checkVisibility()")
        assert named == (what == "all")
        window.run(script)


def column(window, name: str) -> list[str]:
    heads = texts(window, "#table th")
    return texts(window, f"#table tbody td:nth-child({heads.index(name) + 1})")


def click(window, name: str) -> None:
    i = texts(window, "#table th").index(name)
    window.run(f"document.querySelectorAll('#table th button')[{i}].click()")


def test_a_click_sorts_and_another_turns_round(opened, results):
    shown = {name: column(opened, name) for name in ("colors", "code")}
    ms = [x for x in zip(column(opened, "graph"), column(opened, "ms"), strict=True) if x[0] == "rgg:8"]
    assert [float(x) for _, x in ms if x] == sorted(float(x) for _, x in ms if x)  # at first by graph and time
    assert len(shown["colors"]) == len(results.runs)
    numbers = sorted(r.colors for r in results.runs if r.colors is not None)
    missing = [""] * (len(results.runs) - len(numbers))
    click(opened, "colors")
    assert column(opened, "colors") == [*map(str, numbers), *missing]
    assert opened.run("document.querySelector('th[aria-sort=ascending]').textContent") == "colors"
    click(opened, "colors")
    assert column(opened, "colors") == [*map(str, numbers[::-1]), *missing]
    assert opened.run("document.querySelector('th[aria-sort=descending]').textContent") == "colors"
    click(opened, "code")
    assert sorted(shown["code"]) == sorted(column(opened, "code"))
    by_code = column(opened, "code")
    assert [c for c in by_code if c in CODES] == sorted(c for c in by_code if c in CODES)


def test_words_filter(opened, results):
    words = "RGG:8 timeout"
    opened.run(
        f"(() => {{ const e = document.querySelector('input[type=search]'); e.value = {json.dumps(words)};"
        "e.dispatchEvent(new Event('input')); })()"
    )
    assert column(opened, "error") == ["no answer in 30 s"]
    assert column(opened, "graph") == ["rgg:8"]
    assert f"1 of {len(results.runs)} runs" in texts(opened, "#table [role=status]")


def test_a_long_table_is_shown_in_part_and_sorted_as_a_whole(window, tmp_path):
    rows = [run(f"g{i}", "a", ms=float((i * 37) % 401 + 1)) for i in range(401)]
    window.resize(1280)
    window.open(made(write(tmp_path / "long.jsonl", [meta(), *rows])))
    click(window, "ms")
    assert column(window, "ms") == [str(i) for i in range(1, 301)]
    assert "401 of 401 runs" in texts(window, "#table [role=status]")
    window.run(
        "[...document.querySelectorAll('#table button')].find((b) => /show all 401/.test(b.textContent)).click()"
    )
    assert column(window, "ms") == [str(i) for i in range(1, 402)]
    assert window.complaints == []


def test_a_graph_and_styles_are_chosen(opened, results):
    choose(opened, "#controls select", "rgg:9")
    assert texts(opened, "#pareto figcaption")[0].startswith("rgg:9")
    assert set(column(opened, "graph")) == {"rgg:9"}
    opened.run("[...document.querySelectorAll('.chips button')].find((b) => b.textContent === 'peer').click()")
    assert "peer" not in column(opened, "style")
    assert len(column(opened, "code")) == sum(r.graph == "rgg:9" and r.style != "peer" for r in results.runs)


def test_all_hidden_is_said_and_not_an_error(opened):
    opened.run("document.querySelectorAll('.chips button').forEach((b) => b.click())")
    for section in SECTIONS[:5]:
        assert texts(opened, f"#{section} p.facts")[0].startswith("No ")
    assert column(opened, "code") == []


def test_what_lies_under_the_pointer_is_told(opened, results):
    script = "(() => { const r = document.querySelector('#pareto path.symbol').getBoundingClientRect();"
    x, y = opened.run(script + "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
    opened.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    opened.settle()
    assert not opened.run("document.getElementById('tip').hidden")
    assert re.search(r": \d+ colors?, [\d.,]+ ms", texts(opened, "#tip")[0])


def test_names_in_the_data_stay_text(opened):
    assert opened.run("document.querySelectorAll('img').length") == 0
    assert texts(opened, "h1") == [f"A {NASTY}"]
    assert NASTY in column(opened, "code")


def contrast(a: list[int], b: list[int]) -> float:
    """Of two sRGB colors, as WCAG 2 defines it."""

    def luminance(rgb: list[int]) -> float:
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in np.array(rgb) / 255]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def color_of(window, selector: str, kind: str) -> list[int]:
    text = window.run(f"getComputedStyle(document.querySelector({json.dumps(selector)})).{kind}")
    return [int(x) for x in re.findall(r"\d+", text)[:3]]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_it_reads_at_every_width_in_light_and_dark(window, page, tmp_path, width, dark):
    window.resize(width, dark=dark, phone=width < 500)
    window.open(page)
    assert window.run("document.documentElement.scrollWidth") <= width, "the page is wider than the window"
    spill = "(e) => { const r = e.getBoundingClientRect(); return r.right > innerWidth + 1 || r.left < -1; }"
    spilled = (
        f"[...document.querySelectorAll('main svg text, figcaption, li, p')].filter({spill}).map((e) => e.textContent)"
    )
    assert window.run(spilled) == []
    sizes = "[...document.querySelectorAll('svg text, td, p, li')].map((e) => parseFloat(getComputedStyle(e).fontSize))"
    assert min(window.run(sizes)) >= 11.5
    paper = color_of(window, "body", "backgroundColor")
    assert (sum(paper) < 150) == dark
    for selector, kind in [
        ("body", "color"),
        ("svg text", "fill"),
        ("svg text.mark", "fill"),
        ("figcaption span", "color"),
    ]:
        assert contrast(color_of(window, selector, kind), paper) >= 4.5, selector
    for style in {"kernel", "frontier", "algebra", "sequential"}:
        assert contrast(color_of(window, f".symbol.{style}", "fill"), paper) >= 3, style
    picture = window.screenshot(Path(os.environ.get("LAGCOLOR_SCREENSHOTS", tmp_path)) / f"report-{width}-{dark}.png")
    matplotlib_image = pytest.importorskip("matplotlib.image")
    pixels = matplotlib_image.imread(picture)[..., :3]
    assert pixels.shape[0] > 3000 and pixels.shape[1] == width
    assert len(np.unique(np.round(pixels[::3, ::3].reshape(-1, 3) * 8), axis=0)) > 12  # hues, not a blank sheet
    assert window.complaints == []


def test_the_page_is_drawn_anew_when_the_window_changes(opened):
    opened.resize(400, phone=True)
    opened.settle()
    assert opened.run("Math.max(...[...document.querySelectorAll('figure > svg')].map((s) => s.clientWidth))") <= 400
    assert opened.run("document.documentElement.scrollWidth") <= 400
    assert opened.run("[...document.querySelectorAll('figure > svg')].every((s) => s.viewBox.baseVal.width <= 400)")


def test_the_committed_results_make_a_page_without_complaints(window, tmp_path):
    page = made_from(ROOT / "benchmarks/results", tmp_path)
    window.resize(1280)
    window.open(page)
    assert window.complaints == []
    assert window.run("document.querySelectorAll('#pareto figure').length") >= 20
    assert not re.search(r"NaN|undefined|Infinity|\[object", window.run("document.querySelector('main').outerHTML"))


def made_from(folder: Path, tmp_path: Path) -> Path:
    page = tmp_path / "committed.html"
    page.write_text(report.html(measurements.read(folder)))
    return page


def test_one_run_alone_makes_a_page(window, tmp_path):
    window.resize(1280)
    window.open(
        made(write(tmp_path / "one.jsonl", [meta(), run("g.mtx", "a", floor_ms=None, colors=1, order_ms=None)]))
    )
    assert window.complaints == []
    assert window.run("document.querySelectorAll('#pareto svg').length") == 1
    window.open(
        made(write(tmp_path / "none.jsonl", [meta(), run("g.mtx", "a", status="failed", colors=None, ms=None)]))
    )
    assert window.complaints == []
    assert column(window, "code") == ["a"]


def test_a_baseline_without_runs_to_compare_is_refused(tmp_path):
    results = measurements.read(write(tmp_path / "r.jsonl", [meta(), run("g", "a", status="failed", ms=None)]))
    with pytest.raises(lagcolor.OptionError, match="no code 'a' in these results"):
        report.html(results, baseline="a")
