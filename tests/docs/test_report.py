"""The report of `benchmarks.compare`: a page with every run, which needs nothing but itself."""

from __future__ import annotations

import html
import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

from report_cases import NASTY, SPECS, real_rows, write

from benchmarks import compare
from benchmarks.harness import results as measurements

SECTIONS = {"pareto": 1, "speedup": 1, "floors": 1, "scaling": 1, "rounds": len(SPECS), "degrees": len(SPECS)}


def test_report(tmp_path: Path) -> None:
    """Names in the data are no markup, the table has every run, and each section its pictures."""
    file, out = write(tmp_path / "results.jsonl", real_rows()), tmp_path / "report.html"
    assert compare.main(["report", str(file), "--out", str(out), "--title", f"A {NASTY}"]) == 0
    text, results = out.read_text(), measurements.read(file)
    assert f"<title>{html.escape(f'A {NASTY}')}</title>" in text and "default-src 'none'" in text
    assert text.count("<script") == 1 and not re.search(r"<(link|img|iframe|object)|@import|url\((?!#)", text)

    (table,) = re.findall(r"<table>.*?</table>", text, re.DOTALL)
    lines = [re.split(r"</t[hd]>", line)[:-1] for line in re.findall(r"<tr.*?</tr>", table)]
    heads, *rows = [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in line] for line in lines]
    printed = {tuple(row[heads.index(name)] for name in ("graph", "code", "status", "colors")) for row in rows}
    assert printed == {(r.graph, r.code, r.status, "" if r.colors is None else str(r.colors)) for r in results.runs}
    assert len(rows) == len(results.runs)

    sections = re.findall(r'<section id="(\w+)">(.*?)</section>', text, re.DOTALL)
    drawn = {name: re.findall(r"<svg.*?</svg>", body, re.DOTALL) for name, body in sections}
    assert {name: len(drawn[name]) for name in SECTIONS} == SECTIONS
    for svg in itertools.chain(*drawn.values()):
        ElementTree.fromstring(svg)
