"""Where compiled code is stored. Where it cannot be, it is compiled all the same, and a warning says what to set."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest

import lagcolor
from lagcolor.base import caches
from lagcolor.base.device import compiled
from lagcolor.base.device.source import Module
from lagcolor.base.errors import CacheWarning

ROOT = Path(__file__).parents[2]
# Permissions do not bind root: without this capability, given up for good, they do (PR_CAPBSET_DROP, CAP_DAC_OVERRIDE).
BOUND = """
import ctypes, os, sys
if os.geteuid() == 0 and ctypes.CDLL(None).prctl(24, 1, 0, 0, 0):
    sys.exit("cannot give up CAP_DAC_OVERRIDE")
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
PROGRAM = """
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import lagcolor
    G = lagcolor.generate.cycle(9)
    colors = {}
    lagcolor.verify(G, colors)
for w in seen:
    if issubclass(w.category, lagcolor.CacheWarning):
        print(w.message)
print("colors", len(set(colors)), lagcolor.__file__)
"""
CHECK = PROGRAM.format("[0, 1] * 4 + [2]")  # one function
FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"  # no file may have a byte

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux' capabilities")


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders `packages`, with a copy of the package, and `home`; no user may write to any of them."""
    root = tmp_path_factory.mktemp("read_only")
    (root / "home").mkdir()
    for package in ("lagcolor", "semirings"):
        shutil.copytree(ROOT / package, root / "packages" / package, ignore=shutil.ignore_patterns("__pycache__"))
    folders = [root, *(p for p in root.rglob("*") if p.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield root
    for folder in folders:
        folder.chmod(0o755)


def run(program: str, root: Path, tmp: Path, **env: str) -> list[str]:
    """The warnings of a `PROGRAM` that may not write below `root`, where it has its packages and its home."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_"))}
    own |= {"HOME": str(root / "home"), "PYTHONPATH": str(root / "packages"), "TMPDIR": str(tmp)} | env
    command = [sys.executable, "-c", BOUND, "-c", program]
    done = subprocess.run(command, env=own, cwd=root, capture_output=True, text=True, check=False)
    if "cannot give up" in done.stderr:
        pytest.skip("root here cannot be bound by permissions")
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert last == f"colors 3 {root / 'packages' / 'lagcolor' / '__init__.py'}"
    return lines


def count_stored(folder: Path) -> int:
    """Files with compiled code in a folder."""
    return sum(1 for _ in folder.rglob("*.nbc"))


def test_read_only_falls_back_to_a_temporary_folder(read_only: Path, tmp_path: Path) -> None:
    (warning,) = run(CHECK, read_only, tmp_path)
    (own,) = tmp_path.iterdir()
    assert str(own) in warning
    assert own.stat().st_mode & 0o777 == 0o700
    before = count_stored(own)
    assert before > 0
    run(CHECK, read_only, tmp_path)  # the next process finds it
    assert [own] == list(tmp_path.iterdir()) and count_stored(own) == before
    assert run(CHECK, read_only, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")) == []  # as the warning advises
    assert count_stored(tmp_path / "cache") > 0 and "NUMBA_CACHE_DIR" in warning


def test_a_full_disk_costs_only_the_copy(read_only: Path, tmp_path: Path) -> None:
    """Folders can be written to and files made, but nothing goes into them."""
    (warning,) = run(FULL + CHECK, read_only, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert "anew" in warning and "NUMBA_CACHE_DIR" in warning


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for temporary files, and nothing known of it."""
    monkeypatch.setattr(caches.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(caches, "_warned", [])
    for known in (caches.temporary_folder, caches.for_cupy):
        known.cache_clear()
    yield tmp_path
    for known in (caches.temporary_folder, caches.for_cupy):
        known.cache_clear()


PLANT: dict[str, Callable[[Path], object]] = {
    "a link": lambda path: path.symlink_to(path.parent, target_is_directory=True),
    "a folder that all can write to": lambda path: (path.mkdir(), path.chmod(0o777)),
    "a file": lambda path: path.write_text(""),
}


@pytest.mark.parametrize("plant", PLANT)
@pytest.mark.parametrize("below", ["", "lagcolor", f"lagcolor/{caches.folder_name()}"])
def test_what_others_can_write_to_is_not_used(temporary: Path, plant: str, below: str) -> None:
    """In the folder for temporary files, or in the cache."""
    own = temporary / f"lagcolor-{os.geteuid()}"
    if not below:
        PLANT[plant](own)
        assert caches.temporary_folder() is None
    else:
        path = temporary / "caches" / below
        path.parent.mkdir(parents=True)
        PLANT[plant](path)
        with pytest.warns(CacheWarning, match="no other user can write to"):
            folder = Path(caches.for_numba(str(temporary / "caches")) or "")
        assert folder == own / caches.folder_name()
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_of_another_user_is_not_used(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    (temporary / f"lagcolor-{other}").mkdir(mode=0o700)
    monkeypatch.setattr(caches.os, "geteuid", lambda: other)
    assert caches.temporary_folder() != str(temporary / f"lagcolor-{other}")


def test_the_cache_is_in_the_users_folder(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(temporary / "home"))
    for setting, home in (("", ".cache"), ("not/absolute", ".cache"), (str(temporary / "xdg"), temporary / "xdg")):
        monkeypatch.setenv("XDG_CACHE_HOME", setting)
        caches.for_numba.cache_clear()
        folder = Path(caches.for_numba("") or "")
        assert folder == temporary / "home" / home / "lagcolor" / caches.folder_name()
        assert folder.stat().st_mode & 0o777 == 0o700


def test_caches_of_other_sources_are_removed_when_nobody_uses_them(temporary: Path) -> None:
    home, now = temporary / "lagcolor", time.time()
    days = {"1.0.0-0123456789abcdef": 8, "0.9-fedcba9876543210": 6, "2.0.dev1+g0-0123456789abcdef": 8, "drivers": 99}
    for name, age in days.items():
        (home / name / "code").mkdir(parents=True)
        os.utime(home / name, (now - 86400 * age, now - 86400 * age))
    (home / "1.0.1-0123456789abcdef").symlink_to(home / "drivers")
    folder = Path(caches.for_numba(str(temporary)) or "")
    left = {name for name, age in days.items() if age < 7 or name == "drivers"}
    assert {p.name for p in home.iterdir()} == left | {folder.name, "1.0.1-0123456789abcdef"}
    os.utime(folder, (0, 0))
    caches.for_numba.cache_clear()
    caches.for_numba(str(temporary))
    assert folder.stat().st_mtime > now - 60, "its use is noted"


def test_every_change_of_the_sources_has_its_own_folder(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "below" / "__pycache__").mkdir(parents=True)
    files = [package / name for name in ("__init__.py", "below/one.py", "below/two.py")]
    for file in files:
        file.write_text("one = 1\n")
    before = caches.folder_name(f"{package}/")
    (package / "below" / "__pycache__" / "one.py").write_text("not a source")
    (package / "below" / ".#one.py").symlink_to("a lock of an editor")
    os.utime(files[0], (0, 0))
    assert caches.folder_name(f"{package}/") == before
    files[1].write_text("one = 2\n")
    assert (changed := caches.folder_name(f"{package}/")) != before
    files[1].rename(package / "below" / "three.py")
    assert caches.folder_name(f"{package}/") not in (before, changed)


def test_other_packages_keep_the_settings_of_numba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"CACHE_DIR": str(tmp_path), "CACHE_LOCATOR_CLASSES": "InTreeCacheLocator,UserProvidedCacheLocator"}
    for name, value in settings.items():
        monkeypatch.setattr(numba.config, name, value)
    ours = compiled.njit(cache=True)(plain)
    assert ours(1) == 2
    assert Path(ours.stats.cache_path).parent == tmp_path / "lagcolor" / caches.folder_name()
    with pytest.raises(ZeroDivisionError), compiled._cache_in(str(tmp_path / "other")):
        1 / 0  # noqa: B018
    assert {name: getattr(numba.config, name) for name in settings} == settings
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "")
    assert Path(numba.njit(cache=True)(plain).stats.cache_path).parent == tmp_path


def plain(x: int) -> int:
    return x + 1


def test_a_folder_that_vanishes_costs_only_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    folder = Path(caches.for_numba(str(tmp_path)) or "")
    shutil.rmtree(folder)
    folder.write_text("")
    assert compiled.njit(cache=True)(plain)(1) == 2
    assert not count_stored(ROOT / "tests")


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The environment says nothing of CuPy's cache, also afterwards; CuPy is not imported."""
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    for name in ("CUPY_CACHE_DIR", "CUPY_CACHE_IN_MEMORY"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return monkeypatch


@pytest.mark.parametrize("space", [True, False])
def test_cupy_gets_another_place(temporary: Path, no_settings: pytest.MonkeyPatch, space: bool) -> None:
    """A temporary folder, or memory."""
    (temporary / "home").write_text("no folder")
    no_settings.setenv("HOME", str(temporary / "home"))
    if not space:
        no_settings.setattr(caches, "_takes_kernels", lambda folder: False)
    with pytest.warns(CacheWarning, match="CUPY_CACHE_DIR"):
        caches.for_cupy()
    if space:
        assert Path(os.environ["CUPY_CACHE_DIR"]).parent == temporary / f"lagcolor-{os.geteuid()}"
    assert ("CUPY_CACHE_IN_MEMORY" in os.environ) != space


def test_a_disk_that_fills_up_costs_no_kernel(temporary: Path, no_settings: pytest.MonkeyPatch) -> None:
    """CuPy fails where it cannot write, unless it keeps kernels in memory."""
    tried: list[str | None] = []

    class RawModule:
        def __init__(self, **how: Any) -> None:
            pass

        def get_function(self, name: str) -> Any:
            tried.append(os.environ.get("CUPY_CACHE_IN_MEMORY"))
            if tried[-1] != "1" or name == "missing":
                raise OSError(28, "No space left on device")
            return SimpleNamespace(kernel=name)

    runtime = SimpleNamespace(getDevice=lambda: 0)
    cuda = SimpleNamespace(runtime=runtime, driver=None, get_current_stream=None)
    fake = SimpleNamespace(cuda=cuda, RawModule=RawModule, ndarray=np.ndarray)
    module = Module(fake, "")
    with pytest.warns(lagcolor.CacheWarning, match=r"No space left.*CUPY_CACHE_DIR"):
        assert module.kernel("first")._function == "first"
    assert module.kernel("second")._function == "second"
    assert tried == [None, "1", "1"]
    with pytest.raises(OSError, match="No space left"):
        module.kernel("missing")


@pytest.mark.gpu
def test_a_gpu_where_nothing_can_be_written(tmp_path: Path) -> None:
    """HOME is a file, and so is the folder for temporary files."""
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file" / "none")
    program = "import lagcolor; print(lagcolor.color(lagcolor.generate.cycle(9, device='cuda')).n_colors)"
    env = {k: v for k, v in os.environ.items() if not k.startswith("CUPY_")} | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env | {"HOME": nowhere}, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "3", done.stderr
    assert "CuPy cannot write to" in done.stderr


def test_threads_that_decorate_at_once_keep_the_settings_of_numba() -> None:
    before = numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES
    inside, both, left = (threading.Event() for _ in range(3))

    def first() -> None:
        with compiled._cache_in("first"):
            inside.set()
            both.wait(0.2)
        left.set()

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait()
    with compiled._cache_in("second"):
        both.set()
        left.wait()
    thread.join()
    assert before == (numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES)


def test_cupy_keeps_its_folder_where_that_can_be_written_to(
    temporary: Path, no_settings: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    no_settings.setenv("HOME", str(temporary / "home"))
    caches.for_cupy()
    assert not {"CUPY_CACHE_DIR", "CUPY_CACHE_IN_MEMORY"} & set(os.environ)
    assert list((temporary / "home/.cupy/kernel_cache").iterdir()) == []
    assert not recwarn.list


@pytest.mark.parametrize("why", ["no space", "no folder", "a folder that all can write to", "imported"])
def test_cupy_keeps_kernels_in_memory_where_no_folder_takes_kernels(
    temporary: Path, no_settings: pytest.MonkeyPatch, why: str
) -> None:
    """Or if CuPy is imported already, and has chosen its folder. Processes that this one starts inherit the setting."""
    if why == "imported":
        no_settings.setitem(sys.modules, "cupy", ModuleType("cupy"))
        no_settings.setenv("CUPY_CACHE_DIR", os.devnull)
    elif why not in PLANT:
        no_settings.setattr(caches, "_takes_kernels", lambda folder: False)
    if why == "no folder":
        no_settings.setattr(caches, "_own", lambda path: False)
    if why in PLANT:
        (temporary / "home").write_text("no folder")
        no_settings.setenv("HOME", str(temporary / "home"))
        PLANT[why](temporary / f"lagcolor-{os.geteuid()}")
    with pytest.warns(CacheWarning, match="CUPY_CACHE_DIR"):
        caches.for_cupy()
    assert os.environ["CUPY_CACHE_IN_MEMORY"] == "1"
    assert why in ("imported", "no space") or os.environ["CUPY_CACHE_DIR"] == os.sep
