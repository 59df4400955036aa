"""The benchmarks' own machinery, on tiny graphs: drivers, medians, verdicts, result files; nobody's speed."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from corpus import first_fit, graph

import lagcolor

sys.path.insert(0, str(Path(__file__).parents[1]))  # benchmarks/ is not part of the distribution

from benchmarks import cases, cpu_peers, gpu, measure, report, targets
from benchmarks.peers import Case, Code, Sample, libraries, native, remote
from benchmarks.peers.resident import Resident, ResidentError

TINY = ("grid", "clique 70", "rmat", "isolated among others", "random dense")


def make_case(name: str, folder: Path) -> Case:
    G = graph(name)
    path = folder / "graph.egr"
    cases.write_egr(path, G)
    return Case(name, "corpus", G, path)


def present(peer):
    if why := peer.absent():
        pytest.skip(f"{peer.name}: {why}")
    return peer


# Peers


def check_every_code(session, G: lagcolor.Graph) -> None:
    codes = [c for c in session.codes() if c.threads == 1]
    assert codes
    for code in codes:
        sample = session.run(code)
        colors = session.colors()
        assert lagcolor.verify(G, colors).n_colors == sample.n_colors
        assert sample.ms >= sample.color_ms > 0
        again = session.run(code)
        assert again.color_ms > 0
        if code.peer != "lagcolor" or lagcolor.ALGORITHMS[code.method].deterministic:
            assert np.array_equal(session.colors(), colors)
        if (code.method, code.order) == ("greedy", "natural") or code.peer == "ref":
            assert colors.tolist() == first_fit(G, range(G.n))


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("peer", native.PEERS, ids=lambda p: p.name)
def test_every_code_of_a_driver_colors_properly_and_again_the_same(peer, name, tmp_path):
    case = make_case(name, tmp_path)
    with contextlib.closing(present(peer).open(case)) as session:
        check_every_code(session, case.G)


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("library", libraries().values(), ids=lambda p: p.name)
def test_every_code_of_a_library_colors_properly_and_again_the_same(library, name):
    with contextlib.closing(present(library).load(graph(name))) as session:
        check_every_code(session, graph(name))


def test_a_library_in_a_process_of_its_own(tmp_path):
    case = make_case("grid", tmp_path)
    library = present(libraries()["igraph"])
    with contextlib.closing(remote.Hosted(library).open(case)) as session:
        assert session.codes() == library.load(case.G).codes()
        check_every_code(session, case.G)


@pytest.mark.parametrize("name", TINY)
def test_largest_first_of_boost_and_colpack_is_ours(name, tmp_path):
    case = make_case(name, tmp_path)
    mine = lagcolor.color(case.G, "greedy", order="largest_first").colors
    for peer in native.PEERS[1:]:
        with contextlib.closing(present(peer).open(case)) as session:
            session.run(Code(peer.name, "greedy", "largest_first"))
            assert np.array_equal(session.colors(), mine), peer.name


def test_driver_refuses_what_it_does_not_know(tmp_path):
    case = make_case("grid", tmp_path)
    binary = present(native.PEERS[0]).binary()
    with contextlib.closing(Resident([str(binary), str(case.egr)])) as driver:
        for line in ("run no_such_order", "walk", ""):
            with pytest.raises(ResidentError, match="unknown command"):
                driver.ask(line)
        assert driver.ask("run bits")["colors"] == 2  # and goes on


def test_driver_names_a_file_that_is_no_graph(tmp_path):
    peer = present(native.PEERS[0])
    (tmp_path / "bad.egr").write_bytes(b"\x05\0\0\0\x02\0\0\0")
    with pytest.raises(ResidentError, match=r"status.*not an \.egr graph"):
        peer.open(Case("bad", "", graph("grid"), tmp_path / "bad.egr"))


def test_a_missing_library_is_absent_with_its_package():
    present(native.PEERS[0])  # the compiler
    peer = native.Native("ghost", "boost.cpp", "no/such/header.hpp", "libghost-dev")
    assert peer.absent() == "no no/such/header.hpp: apt install libghost-dev"


# The child process


def child(body: str) -> Resident:
    return Resident([sys.executable, "-c", f"import sys, time\n{body}"], timeout=30)


def test_resident_answers_and_skips_chatter():
    c = child(
        'print("{}", flush=True)\nfor l in sys.stdin: print("words"); print(\'{"got": "%s"}\' % l.strip(), flush=True)'
    )
    assert c.ask("one") == {"got": "one"}
    assert c.ask("two") == {"got": "two"}
    c.close()


def test_resident_reports_death_with_its_last_words():
    c = child('print("{}", flush=True)\nsys.stdin.readline()\nsys.exit("out of luck")')
    with pytest.raises(ResidentError, match="status 1: out of luck"):
        c.ask("anything")
    with pytest.raises(ResidentError, match="status 1"):
        c.ask("more")
    c.close()


def test_resident_kills_a_silent_child():
    c = child('print("{}", flush=True)\ntime.sleep(600)')
    with pytest.raises(ResidentError, match=r"no answer in 0\.2 s"):
        c.ask("anything", timeout=0.2)
    c.close()


def test_a_late_run_is_an_error_and_the_next_one_has_a_new_process():
    body = """
print('{"codes": ["fast", "slow"]}', flush=True)
for line in sys.stdin:
    time.sleep(600 if "slow" in line else 0)
    print('{"order_ms": 1, "color_ms": 2, "colors": 3}', flush=True)
"""
    started = []
    session = remote.Remote(lambda: started.append(1) or child(body), lambda word: Code("p", "m", word), timeout=5)
    fast, slow = session.codes()
    assert session.run(fast) == Sample(1, 2, 3)
    session._timeout = 0.2
    with pytest.raises(ResidentError, match=r"no answer in 0\.2 s"):
        session.run(slow)
    session._timeout = 30
    assert session.run(fast) == Sample(1, 2, 3) and len(started) == 2
    session.close()


# The interleaved run


class Scripted:
    """A peer whose milliseconds are given; it records in which order it was asked."""

    def __init__(self, name: str, ms: dict[str, Sequence[float]], colors: object = None) -> None:
        self.name, self._ms, self._given = name, {k: list(v) for k, v in ms.items()}, colors
        self.log: list[str] = []

    def open(self, case: Case, timeout: float):
        self._case = case
        return self

    def codes(self):
        return [Code(self.name, "greedy", order) for order in self._ms]

    def run(self, code: Code) -> Sample:
        self.log.append(code.order)
        queue = self._ms[code.order]
        ms = queue.pop(0) if len(queue) > 1 else queue[0]
        if ms < 0:
            raise RuntimeError("scripted failure")
        return Sample(ms / 4, ms * 3 / 4, 2)

    def colors(self):
        return np.arange(self._case.G.n, dtype=np.int32) if self._given is None else self._given

    def close(self):
        self.log.append("closed")


@pytest.fixture
def case(tmp_path):
    return make_case("grid", tmp_path)


def test_rows_are_medians_of_interleaved_rounds(case):
    peer = Scripted("a", {"x": [999, 50, 40, 90], "y": [999, 100]})
    x, y = measure.measure(case, [peer], repeat=3, budget=1e9)
    assert [s.ms for s in x.samples] == [50, 40, 90]
    row = x.record()
    assert (row["ms"], row["ms_min"], row["ms_max"], row["order_ms"], row["color_ms"]) == (50, 40, 90, 12.5, 37.5)
    assert row["runs"] == 3 and y.record()["ms"] == 100
    checks, rounds = peer.log[:2], peer.log[2:-1]
    assert checks == ["x", "y"]
    assert all(sorted(rounds[i : i + 2]) == ["x", "y"] for i in range(0, 6, 2))
    assert peer.log[-1] == "closed"


def test_a_visit_repeats_short_runs_and_keeps_their_median(case):
    peer = Scripted("a", {"x": [1, 9, 1, 5, 6]})
    (x,) = measure.measure(case, [peer], repeat=1, budget=1e9)
    assert [s.ms for s in x.samples] == [6]  # 9, 1, 5, 6: 20 ms are full


def test_a_slow_code_takes_part_in_fewer_rounds(case):
    slow, fast = measure.measure(case, [Scripted("a", {"x": [4000], "y": [100]})], repeat=5, budget=9)
    assert (len(slow.samples), len(fast.samples)) == (2, 5)
    peer = Scripted("a", {"x": [10_000]})
    (slower,) = measure.measure(case, [peer], repeat=5, budget=9)
    assert slower.record()["runs"] == 1 and peer.log == ["x", "closed"]


def test_an_improper_coloring_is_an_error_and_no_row(case):
    bad = Scripted("a", {"x": [50]}, np.zeros(case.G.n, np.int32))
    good = Scripted("b", {"x": [50]})
    first, second = measure.measure(case, [bad, good], repeat=2, budget=1e9)
    assert "ColoringError" in first.record()["error"] and "ms" not in first.record()
    assert not first.samples and len(second.samples) == 2


def test_a_failing_code_does_not_end_the_others(case):
    x, y = measure.measure(case, [Scripted("a", {"x": [50, -1], "y": [50]})], repeat=2, budget=1e9)
    assert x.record()["error"] == "RuntimeError: scripted failure"
    assert len(y.samples) == 2


def test_wanted_codes_only(case):
    peer = Scripted("a", {"x": [50], "y": [50]})
    results = measure.measure(case, [peer], repeat=1, budget=1e9, wanted=lambda c: c.order == "y")
    assert [r.code.order for r in results] == ["y"]


# Targets


def result(peer: str, ms: float, *, method="greedy", order="natural", threads=1, colors=5, order_ms=0.0):
    code = Code(peer, method, order, threads)
    return measure.Result(code, [Sample(order_ms, ms, colors)], colors)


def verdict(name: str, m: int, *results: measure.Result):
    (target,) = (t for t in targets.TARGETS if t.name == name)
    outcome = target.judge(m, results)
    return outcome and outcome["verdict"]


def test_target_passes_up_to_its_limit():
    assert verdict("natural / boost", 10, result("lagcolor", 6.9), result("boost", 10)) == "PASS"
    assert verdict("natural / boost", 10, result("lagcolor", 7.1), result("boost", 10)) == "MISS"
    assert verdict("natural / ref bits", 10, result("lagcolor", 9), result("ref", 1, method="bits")) == "shown"


def test_target_takes_the_better_rival_and_counts_ordering():
    rivals = result("boost", 10, order="largest_first"), result("colpack", 5, order="largest_first", order_ms=4)
    name = "largest_first / boost, colpack"
    assert verdict(name, 10, result("lagcolor", 3, order="largest_first", order_ms=3.2), *rivals) == "PASS"
    assert verdict(name, 10, result("lagcolor", 3, order="largest_first", order_ms=3.5), *rivals) == "MISS"


def test_target_without_a_rival_or_with_a_failed_one_is_absent():
    failed = result("boost", 10)
    failed.error = "crashed"
    assert verdict("natural / boost", 10, result("lagcolor", 1), failed) == "absent"
    assert verdict("natural / boost", 10, result("boost", 1)) == "absent"


def test_dsatur_must_not_use_more_colors():
    rival = result("igraph", 100, method="dsatur", order="dsatur", colors=5)
    for colors, expected in ((5, "PASS"), (6, "MISS")):
        mine = result("lagcolor", 20, method="dsatur", order="largest_first", colors=colors)
        assert verdict("dsatur / igraph", 10, mine, rival) == expected


def test_two_threads_are_judged_on_large_graphs_only():
    pair = result("lagcolor", 14), result("lagcolor", 9.9, method="jones_plassmann", threads=2)
    assert verdict("2 threads / 1, natural", 5_000_000, *pair) is None
    assert verdict("2 threads / 1, natural", 5_000_001, *pair) == "PASS"
    alone = (
        result("lagcolor", 14, order="random"),
        result("lagcolor", 9.9, method="jones_plassmann", order="random", threads=2, order_ms=50),
    )
    assert verdict("2 threads / 1, random made before", 6_000_000, *alone) == "PASS"


# Whole runs


def test_cpu_run_writes_a_result_file_that_can_be_shown(case, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    status = cpu_peers.main([str(case.egr), "--repeat", "2", "--codes", "*natural*", "--json", "--out", str(out)])
    assert status == 0
    records = report.read(out)
    assert records == [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert records[0]["kind"] == "run" and {"cpu", "cores", "commit", "date", "versions"} <= records[0].keys()
    (g,) = (r for r in records if r["kind"] == "graph")
    assert (g["graph"], g["n"], g["m"]) == ("graph", case.G.n, case.G.m)
    rows = [r for r in records if r["kind"] == "result"]
    assert {"lagcolor", "igraph"} - {r["peer"] for r in records if r["kind"] == "absent"} <= {
        r["peer"] for r in records if r["kind"] == "peer"
    }
    assert rows and all(r["order"] == "natural" and r["valid"] and r["ms_min"] <= r["ms"] <= r["ms_max"] for r in rows)
    assert cpu_peers.main(["--show", str(out)]) == 0
    shown = capsys.readouterr().out
    assert all(r["method"] in shown for r in rows)


def test_unknown_graph_is_refused_by_name():
    with pytest.raises(SystemExit, match="no graph 'no_such'"):
        cases.sources(["no_such"])


def test_a_folder_of_graphs_stands_in_for_generated_ones(tmp_path):
    (tmp_path / "rmat16.egr").touch()
    (tmp_path / "rmat16.npz").touch()
    chosen = cases.sources(None, tmp_path)
    assert chosen["rmat16"] == tmp_path / "rmat16.egr"
    assert chosen["rmat20"] is None
    assert all(chosen[name].exists() for name in cases.REAL)


def test_gpu_run_on_the_cpu(tmp_path, capsys):
    reference = tmp_path / "peers.csv"
    reference.write_text(
        "graph,code,colors,ms,valid\npath:50,good,2,0.5,yes\npath:50,wrong,2,0.1,no\npath:50,slow,2,9,yes\n"
    )
    words = ["path:50", "no_such_family:3", "--device", "cpu", "--orders", "largest_first", "--commit", "abc"]
    status = gpu.main([*words, "--reference", str(reference), "--out", str(tmp_path)])
    assert status == 1  # one graph cannot be made
    records = report.read(tmp_path / "gpu.jsonl")
    assert records[0]["commit"] == "abc"
    good, bad = (r for r in records if r["kind"] == "graph")
    assert good["n"] == 50 and good["best_peer"] == {"code": "good", "colors": 2, "ms": 0.5}
    assert "no_such_family" in bad["error"] and "no_such_family" in capsys.readouterr().out
    rows = [r for r in records if r["kind"] == "result"]
    on_cpu = {name for name, row in lagcolor.ALGORITHMS.items() if "cpu" in row.engines}
    assert {r["algorithm"] for r in rows} == on_cpu
    assert {r["order"] for r in rows if r["algorithm"] == "greedy"} == {"natural", "largest_first"}
    for r in rows:
        assert (
            r["valid"]
            and r["ms_min"] <= r["ms"] <= r["ms_max"]
            and r["of_best_peer"] == pytest.approx(r["ms"] / 0.5, abs=1e-3)
        )


def test_gpu_worker_starts_anew_after_a_failure():
    worker = gpu.Worker("path:50", "cpu", "cpu", timeout=0.0)
    assert worker.run("run greedy - 1 1")["error"] == "no answer in 0 s"
    worker._timeout = 120.0
    assert worker.run("run greedy - 1 1")["colors"] == 2
    assert "OptionError" in worker.run("run no_such_algorithm - 1 1")["error"]
    assert worker.run("run greedy - 1 1")["valid"]
    worker.close()


def test_floor_is_one_pass_over_graph_and_colors():
    assert gpu.floor_ms(10**6, 4 * 10**6) == pytest.approx((8e6 + 4 + 16e6) / 4.3e12 * 1e3)
