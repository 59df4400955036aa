"""One line of a result file, of any age, as objects."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from typing import Any

from .model import GraphFacts, Meta, Run

Line = Mapping[str, Any]


def meta_of(row: Line, source: str) -> Meta:
    """A meta line; older ones hold what is now under "hardware" beside the rest."""
    command = row.get("command") or ""
    return Meta(
        source=source,
        date=str(row.get("date") or ""),
        commit=str(row.get("commit") or ""),
        command=command if isinstance(command, str) else " ".join(map(str, command)),
        hardware=", ".join(filter(None, (_cpu(row), _gpu(row)))),
        versions={str(k): str(v) for k, v in (row.get("versions") or {}).items()},
    )


def facts_of(row: Line) -> GraphFacts:
    """What a line of any kind says of its graph."""
    spec = str(row.get("spec") or row.get("source") or row.get("graph") or "")
    return GraphFacts(
        name=str(row.get("graph") or ""),
        spec=spec if ":" in spec else "",
        n=_int(row.get("n")),
        m=_int(row.get("m")),
        max_degree=_int(row.get("max_degree")),
        floor_ms=_number(row.get("floor_ms")),
        degrees=[(int(low), int(count)) for low, count in row.get("degrees") or ()],
    )


def runs_of_result(row: Line, meta: Line, source: str) -> Iterator[Run]:
    """The run of a line of kind run or result."""
    code, style = _who(row)
    error = str(row.get("error") or row.get("fault") or "")
    device = "cuda" if str(row.get("device") or meta.get("device") or _guess_device(row, meta)) != "cpu" else "cpu"
    every = [x for x in map(_number, row.get("ms_all") or ()) if x is not None]
    options = row.get("options")
    # Older rows of GPU runs, of kind result, have the ordering apart; all others have it in their time.
    apart = row.get("kind") == "result" and "color_ms" not in row
    more = (_number(row.get("order_ms")) or 0.0) if apart else 0.0
    yield Run(
        graph=str(row.get("graph") or ""),
        code=code,
        style=style,
        device=device,
        machine=_machine(row, meta, device),
        order=str(row.get("order") or ""),
        seed=_int(row.get("seed")),
        threads=_int(row.get("threads")),
        options=", ".join(f"{k}={v}" for k, v in options.items()) if isinstance(options, Mapping) else "",
        colors=_int(row.get("colors")),
        ms=_plus(row.get("ms"), more),
        ms_min=min(every, default=_plus(row.get("ms_min"), more)),
        ms_max=max(every, default=_plus(row.get("ms_max"), more)),
        order_ms=_number(row.get("order_ms")),
        convert_ms=_number(row.get("convert_ms")),
        floor_ms=_number(row.get("floor_ms")),
        rounds=_int(row.get("rounds")),
        memory_bytes=_int(row.get("memory_bytes", row.get("peak_bytes"))),
        verified=row.get("verified", row.get("valid")),
        status=str(row.get("status") or _status(error)),
        error=error,
        trace=tuple(row.get("trace") or ()),
        source=source,
        date=str(row.get("date") or meta.get("date") or ""),
        commit=str(meta.get("commit") or ""),
    )


def runs_of_speed(row: Line, meta: Line, source: str) -> Iterator[Run]:
    """The three runs of a line of kind speed: ecl_gc on one thread and on two, and the peer beside it."""
    where = {"graph": row["graph"], "device": "cpu"}
    for threads in (1, 2):
        ours = {"code": "ecl_gc", "threads": threads, "colors": row["colors"], "order_ms": row.get("order_ms")}
        yield from runs_of_result({**where, **ours, "ms": row[f"ms_{threads}"]}, meta, source)
    name, colors, ms = row["peer_here"]
    code, _, order = name.rpartition(" ")  # "boost32 greedy natural"
    peer = {"code": code, "order": order, "style": "peer", "threads": 1}
    yield from runs_of_result({**where, **peer, "colors": colors, "ms": ms}, meta, source)


def _who(row: Line) -> tuple[str, str]:
    """Name and style of a code."""
    peer = row.get("peer")
    code = str(row.get("code") or row.get("algorithm") or row.get("method") or "")
    if peer is not None and peer != "lagcolor":
        return (f"{peer} {code}" if code and code != peer else str(peer)), "peer"
    if row.get("style"):
        return code, str(row["style"])
    from ...registry import ALGORITHMS

    return code, ALGORITHMS[code].style if code in ALGORITHMS else "peer"


def _status(error: str) -> str:
    if not error:
        return "ok"
    return "timeout" if error.startswith(("no answer", "timeout")) else "failed"


def _guess_device(row: Line, meta: Line) -> str:
    return "cuda" if _gpu(meta) or isinstance(row.get("machine"), Mapping) else "cpu"


def _machine(row: Line, meta: Line, device: str) -> str:
    if row.get("style") == "reference":
        return ""
    if device == "cpu":
        return _cpu(meta)
    machine = row.get("machine")
    return (_gpu(machine) if isinstance(machine, Mapping) else "") or _gpu(meta)


def _hardware(meta: Line) -> Line:
    hardware = meta.get("hardware")
    return hardware if isinstance(hardware, Mapping) else meta


def _cpu(meta: Line) -> str:
    if isinstance(meta.get("hardware"), str):
        return str(meta["hardware"])
    hardware = _hardware(meta)
    cpu, cores = hardware.get("cpu"), hardware.get("cores")
    return f"{cpu}, {cores} cores" if cpu and cores else str(cpu or "")


def _gpu(meta: Line) -> str:
    hardware = _hardware(meta)
    gpu = hardware.get("gpu") or str(hardware.get("nvidia_smi") or "").partition(",")[0]
    if isinstance(gpu, Mapping):
        gpu = gpu.get("name")
    if isinstance(gpu, (list, tuple)):
        gpu = gpu[0] if gpu else ""
    return str(gpu or "")


def _number(x: Any) -> float | None:
    """A finite number, or None; a list of them counts by its median."""
    if isinstance(x, (list, tuple)):
        return statistics.median(x) if x else None
    return float(x) if isinstance(x, (int, float)) and math.isfinite(x) else None


def _plus(x: Any, more: float) -> float | None:
    number = _number(x)
    return None if number is None else number + more


def _int(x: Any) -> int | None:
    number = _number(x)
    return None if number is None else round(number)
