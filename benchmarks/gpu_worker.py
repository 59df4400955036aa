"""One graph on one device, in a process of its own, so that a crash or a hang ends this process only.

Started by `benchmarks.gpu`; answers "run ALGORITHM ORDER RUNS BUDGET" with a line of JSON (ORDER "-": the default).
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import lagcolor


def say(**fields: Any) -> None:
    """One line of JSON."""
    print(json.dumps(fields), flush=True)


def load(source: str, device: str, generate_on: str) -> tuple[lagcolor.Graph, dict[str, Any]]:
    """The graph of a spec, generated on one device and moved to the other, and what the greeting says of it."""
    start = time.perf_counter()
    G = lagcolor.generate.from_spec(source, device=generate_on).on(device)
    facts = {"n": G.n, "m": G.m, "max_degree": G.max_degree, "generated_on": generate_on}
    return G, {**facts, "load_seconds": round(time.perf_counter() - start, 3), "machine": machine(G)}


def machine(G: lagcolor.Graph) -> dict[str, Any]:
    """GPU and CUDA of the graph's device; nothing on a CPU."""
    if not G.on_gpu:
        return {}
    import cupy as cp

    runtime = cp.cuda.runtime
    name = runtime.getDeviceProperties(G.indices.device.id)["name"].decode()
    return {"gpu": name, "cuda": runtime.runtimeGetVersion(), "cuda_driver": runtime.driverGetVersion()}


def extra_memory(G: lagcolor.Graph, run: Callable[[], Any]) -> tuple[Any, int | None]:
    """Result of `run`, and bytes that CuPy's pool grew by: it gives nothing back meanwhile, so that is the peak."""
    if not G.on_gpu:
        return run(), None
    import cupy as cp

    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.used_bytes()
    return run(), pool.total_bytes() - before


def measure(G: lagcolor.Graph, algorithm: str, order: str | None, runs: int, budget: float) -> dict[str, Any]:
    """Warm-up with the memory taken, a second one for the pool, then `runs` runs, as far as `budget` seconds go."""

    def color() -> lagcolor.Coloring:
        # A new Graph, so that nothing (degrees …) is kept from the run before.
        fresh = lagcolor.Graph(G.indptr, G.indices)
        return lagcolor.color(fresh, algorithm, order=order, verify=False)

    done, peak = extra_memory(G, color)
    done = color()
    one = done.seconds + done.order_seconds
    all_runs = [color() for _ in range(max(1, min(runs, int(budget / max(one, 1e-9)))))]
    fault = next(iter(lagcolor.verify(G, all_runs[-1].colors, errors="return").problems()), None)
    ms = sorted(r.seconds * 1e3 for r in all_runs)
    return {
        "ms": round(statistics.median(ms), 5),
        "ms_min": round(ms[0], 5),
        "ms_max": round(ms[-1], 5),
        "order_ms": round(statistics.median(r.order_seconds for r in all_runs) * 1e3, 5),
        "runs": len(ms),
        "order": done.order,
        "seed": done.seed,
        "colors": all_runs[-1].n_colors,
        "rounds": all_runs[-1].rounds,
        "valid": fault is None,
        "fault": fault,
        "same_colors_each_run": len({r.colors.tobytes() for r in all_runs}) == 1,
        "peak_bytes": peak,
    }


def main(source: str, device: str, generate_on: str) -> None:
    """Greet, then answer until the input ends."""
    try:
        G, facts = load(source, device, generate_on)
    except Exception as e:
        say(error=f"{type(e).__name__}: {e}")
        return
    say(**facts)
    for line in sys.stdin:
        try:
            _, algorithm, order, runs, budget = line.split()
            say(**measure(G, algorithm, None if order == "-" else order, int(runs), float(budget)))
        except Exception as e:
            say(error=f"{type(e).__name__}: {e}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
