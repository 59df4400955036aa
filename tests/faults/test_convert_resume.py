"""Conversions that are killed, interrupted, or meet a full disk: the next one goes on, and makes the same bytes."""

from __future__ import annotations

import contextlib
import errno
import io
import itertools
import os
import resource
import shutil
import signal
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from convert_cases import SMALL, agrees, contents, random_pairs, small, text

import lagcolor
from lagcolor.io.folder import Output
from lagcolor.scale.disk.convert import runs

PAIRS = random_pairs(11, 1500, 9000)
KILLS = 6  # moments per case


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    small(monkeypatch)


def inputs(case: str) -> list[str]:
    """Files of a case."""
    if case == "names":
        Path("a.txt").write_text("".join(f"v{a} v{b}\n" for a, b in PAIRS.tolist()))
        return ["a.txt"]
    if case == "shards":
        for k, part in enumerate(np.array_split(PAIRS, 5)):
            Path(f"{k}.txt").write_text(text(part))
        return [f"{k}.txt" for k in range(5)]
    Path("a.txt").write_text("# some edges\n" + text(PAIRS))
    return ["a.txt"]


STEPS: tuple[tuple[object, str], ...] = (
    (os, "fsync"), (os, "replace"), (os, "rename"), (Output, "append"), (runs.PartialFolder, "keep"), (zlib, "crc32"),
    (Path, "mkdir"), (Path, "unlink"),
)  # fmt: skip


@contextlib.contextmanager
def at_step(count: int, act: Callable[[], object] = lambda: None) -> Iterator[list[int]]:
    """Do something before a step of this process; a list with how many steps are left until then."""
    left = [count]

    def counted(function: Callable[..., object]) -> Callable[..., object]:
        def step(*args: object, **options: object) -> object:
            left[0] -= 1
            if left[0] == 0:
                act()
            return function(*args, **options)

        return step

    with pytest.MonkeyPatch.context() as patch:
        for holder, name in STEPS:
            patch.setattr(holder, name, counted(getattr(holder, name)))
        yield left


def steps_of(files: list[str]) -> int:
    """How many steps a conversion takes once all code is compiled: writing compiled code takes some, too."""
    lagcolor.convert(files, "whole.csr")
    with at_step(0) as left:
        lagcolor.convert(files, "counted.csr")
    return -left[0]


def stopped_at(files: list[str], target: str, stage: str = "merging", share: float = 0.0) -> None:
    """Interrupt a conversion in a stage, after at least this share of it."""

    def stop(p: Any) -> None:
        if p.stage == stage and (p.share or 0.0) >= share:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(lagcolor.base.log, "EVERY", 0.0)
        lagcolor.convert(files, target, progress=stop)
    assert Path(f"{target}.partial").is_dir() and not Path(target).exists()


def resumed(files: list[str], target: str = "a.csr") -> bool:
    """Whether a conversion goes on to the graph of all pairs."""
    return agrees(lagcolor.convert(files, target).path, PAIRS, int(PAIRS.max()) + 1)


def killed(call: Callable[[], object], step: int) -> bool:
    """Whether a process that makes this call, and is killed at a step, gets there."""
    child = os.fork()
    if child == 0:
        with at_step(step, lambda: os.kill(os.getpid(), signal.SIGKILL)):
            try:
                call()
            finally:
                os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("case", ["numbers", "names", "shards"])
@pytest.mark.filterwarnings("ignore")  # Python's, of forks of a process with threads
def test_a_kill_at_any_moment(case: str) -> None:
    files = inputs(case)
    steps, whole = steps_of(files), contents(Path("whole.csr"))
    unread = 0
    for k in np.unique(np.linspace(1, steps, KILLS).astype(int)).tolist():
        target = f"{k}.csr"
        assert killed(lambda t=target: lagcolor.convert(files, t), k)  # type: ignore[misc]
        assert not Path(target).exists() or contents(Path(target)) == whole
        again = killed(lambda t=target: lagcolor.convert(files, t), steps // 9 + 1)  # type: ignore[misc]
        if Path(target).exists():
            assert not again or contents(Path(target)) == whole
            continue
        stages: list[str] = []
        lagcolor.convert(files, target, progress=lambda p, s=stages: s.append(p.stage))  # type: ignore[misc]
        assert contents(Path(target)) == whole, f"killed at step {k} of {steps}"
        assert not Path(f"{target}.partial").exists()
        unread += "reading" not in stages
    assert unread >= 2  # kills after reading do not read again


def test_reading_goes_on_after_the_last_run(monkeypatch: pytest.MonkeyPatch) -> None:
    files, starts = inputs("numbers"), []
    stopped_at(files, "a.csr", "reading", 0.8)
    monkeypatch.setattr(lagcolor.base.log, "EVERY", 0.0)
    lagcolor.convert(files, "a.csr", progress=lambda p: starts.append(p.share) if p.stage == "reading" else None)
    assert starts[1] > 0.5  # nothing before is read again
    assert agrees(Path("a.csr"), PAIRS, int(PAIRS.max()) + 1)


def test_a_full_disk_at_any_moment() -> None:
    files = inputs("numbers")
    steps, whole = steps_of(files), contents(Path("whole.csr"))

    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    failed = 0
    for k in np.unique(np.linspace(1, steps, 8).astype(int)).tolist():
        target = f"{k}.csr"
        try:
            with at_step(k, full):
                lagcolor.convert(files, target)
        except OSError as e:
            assert not Path(target).exists() and "No space left" in str(e)
            stored = Path(f"{target}.partial").exists()
            assert stored == ("the finished part is stored in" in str(e)) == ("the same call continues" in str(e))
            failed += 1
            lagcolor.convert(files, target)
        assert contents(Path(target)) == whole
    assert failed >= 5  # the others were of names of files alone, which need not be on the disk


def test_ctrl_c_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    from lagcolor.cli import main

    files = inputs("numbers")
    with at_step(40, lambda: os.kill(os.getpid(), signal.SIGINT)):
        assert main(["convert", *files, "a.csr"]) == 130
    assert "interrupted; the same command continues where it stopped" in capsys.readouterr().err
    assert Path("a.csr.partial").is_dir()
    assert main(["convert", *files, "a.csr", "--n", "9999"]) == 2
    assert "in the same way to continue it, or start afresh with --restart" in capsys.readouterr().err
    assert main(["convert", *files, "a.csr"]) == 0
    assert agrees(Path("a.csr"), PAIRS, int(PAIRS.max()) + 1)


def test_other_arguments_do_not_go_on() -> None:
    files = inputs("shards")
    stopped_at(files, "a.csr")
    for others, options, what in (
        (files[:4], {}, "of other files"),
        (files, {"n": 5000}, "with n=None, not 5000"),
        (files, {"format": "edges"}, "with format=None, not 'edges'"),
    ):
        with pytest.raises(lagcolor.OptionError, match=f"unfinished conversion {what}.* restart=True"):
            lagcolor.convert(others, "a.csr", **options)  # type: ignore[arg-type]
    Path("3.txt").write_text(text(PAIRS[:10]))
    with pytest.raises(lagcolor.OptionError, match=r"of '.*3.txt', which is another file now"):
        lagcolor.convert(files, "a.csr")
    folder = lagcolor.convert(files[:3], "a.csr", restart=True)
    assert agrees(folder.path, np.concatenate(np.array_split(PAIRS, 5)[:3]), folder.n)
    assert not Path("a.csr.partial").exists()


def test_damage_to_stored_files_is_found() -> None:
    files = inputs("numbers")
    stopped_at(files, "a.csr")
    shutil.copytree("a.csr.partial", "stored")
    for damage, name in (
        (lambda p: change(p / "read-00001", 100, b"\xff" * 8), "read-00001"),
        (lambda p: os.truncate(p / "read-00001", 300), "read-00001"),
        (lambda p: (p / "read-00001").unlink(), "read-00001"),
        (lambda p: os.replace(p / "read-00002", p / "read-00001"), "read-00001"),
        (lambda p: shutil.copy(p / "read-00001", p / "read-00002"), "read-00002"),
        (lambda p: (p / "read-00000").write_bytes(b"{}"), "read-00000"),
        # File systems may leave zeros behind where the power failed.
        (lambda p: change(p / "read-00001", (p / "read-00001").stat().st_size - 8, bytes(8)), "read-00001"),
    ):
        damage(Path("a.csr.partial"))
        with pytest.raises(lagcolor.FormatError, match=f"{name}: .* is damaged: start afresh with restart=True"):
            lagcolor.convert(files, "a.csr")
        shutil.rmtree("a.csr.partial")
        shutil.copytree("stored", "a.csr.partial")
    os.truncate("a.csr.partial/read-00001", 300)
    folder = lagcolor.convert(files, "a.csr", restart=True)
    assert agrees(folder.path, PAIRS, int(PAIRS.max()) + 1)


def test_files_of_two_conversions_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A conversion continues with more memory, but not with another version or files of another conversion."""
    files = inputs("numbers")
    with monkeypatch.context() as patch:
        patch.setattr(runs, "VERSION", 3)
        stopped_at(files, "c.csr")
    with pytest.raises(lagcolor.OptionError, match="of another version: start afresh with restart=True"):
        lagcolor.convert(files, "c.csr")
    stopped_at(files, "a.csr")
    shutil.copytree("a.csr.partial", "stored")
    small(monkeypatch, SMALL._replace(keys=1 << 16))
    assert resumed(files)  # more memory goes on
    small(monkeypatch, SMALL._replace(keys=5000))
    stopped_at(files, "b.csr")
    shutil.copy("stored/read-00001", "b.csr.partial")
    with pytest.raises(lagcolor.FormatError, match=r"read-00001: .* is damaged: start afresh with restart=True"):
        lagcolor.convert(files, "b.csr")


def test_an_interruption_while_files_are_deleted() -> None:
    """Whatever is left, the next conversion makes the same bytes, also with force=True, over a graph."""
    files = inputs("names")
    whole = contents(lagcolor.convert(files, "whole.csr").path)
    stopped_at(files, "a.csr", "merging", 1.0)
    shutil.copytree("a.csr.partial", "stored")
    for k in range(0, len(list(Path("stored").iterdir())), 2):
        shutil.rmtree("a.csr.partial", ignore_errors=True)
        shutil.copytree("stored", "a.csr.partial")
        left = [k]

        def unlink(path: Path, *args: object, _left: list[int] = left) -> None:
            _left[0] -= 1
            if _left[0] < 0:
                raise KeyboardInterrupt
            os.unlink(path)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "unlink", unlink)
            with pytest.raises(KeyboardInterrupt):
                lagcolor.convert(files, "a.csr", force=True, restart=True)
        assert contents(lagcolor.convert(files, "a.csr", force=True).path) == whole


def test_a_folder_that_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another conversion is at work, or there is something else; and a disk that is too small."""
    files, tried = inputs("numbers"), list[str]()

    def other(p: object) -> None:
        if not tried:
            with pytest.raises(lagcolor.OptionError, match="another process is converting"):
                lagcolor.convert(files, "a.csr")
            tried.append("yes")

    lagcolor.convert(files, "a.csr", progress=other)
    assert tried and agrees(Path("a.csr"), PAIRS, int(PAIRS.max()) + 1)
    Path("b.csr.partial").mkdir()
    Path("b.csr.partial/thesis.txt").write_text("years of work")
    for restart in (False, True):
        with pytest.raises(FileExistsError, match="no folder of a conversion"):
            lagcolor.convert(files, "b.csr", restart=restart)
    assert Path("b.csr.partial/thesis.txt").exists()
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 100_000})())
    with pytest.raises(OSError, match=r"about 0\.0 GB are needed here, .* are free") as e:
        lagcolor.convert(files, "c.csr")
    assert e.value.errno == errno.ENOSPC
    assert sorted(p.name for p in Path().iterdir()) == ["a.csr", "a.txt", "b.csr.partial"]


def test_standard_input_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def passed() -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(text(PAIRS).encode()))))

    passed()
    with at_step(30, lambda: os.kill(os.getpid(), signal.SIGINT)), pytest.raises(KeyboardInterrupt):
        lagcolor.convert("-", "a.csr")
    passed()
    assert resumed(["-"])


def change(path: Path, place: int, by: bytes) -> None:
    """Overwrite some bytes of a file."""
    with open(path, "r+b") as file:
        file.seek(place)
        file.write(by)


def test_an_input_that_cannot_be_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from lagcolor.io import parse

    files, pairs, count = inputs("numbers"), parse.pairs, itertools.count()

    def failing(*args: Any, **options: Any) -> Any:
        if next(count) == 20:
            raise OSError(errno.EIO, "Input/output error", "a.txt")
        return pairs(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(parse, "pairs", failing)
        with pytest.raises(OSError, match="Input/output error"):
            lagcolor.convert(files, "a.csr")
    assert Path("a.csr.partial").is_dir()
    assert resumed(files)


def test_files_that_may_not_grow() -> None:
    """A real limit, of the size of files, in a process of its own."""
    files = inputs("numbers")
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        try:
            lagcolor.convert(files, "a.csr")
        except OSError as e:
            os.write(writer, f"{e.errno} {e}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    reported = os.read(reader, 10_000).decode()
    assert reported.startswith(f"{errno.EFBIG} ") and "the finished part is stored in" in reported
    assert not Path("a.csr").exists()
    assert resumed(files)
