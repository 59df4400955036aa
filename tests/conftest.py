"""What every test may use: GPU tests skip with a reason where there is no GPU; random seeds are printed."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
from collections.abc import Generator, Iterable
from contextlib import ExitStack, nullcontext
from pathlib import Path

import emulated
import pytest
from forks import Forks
from hypothesis import HealthCheck, Phase, settings

import lagcolor
from lagcolor.base import device as dev

pytest_plugins = ["skips"]
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX leaves GPU memory to the other test processes

# print_blob shows how to repeat a failure; LAGCOLOR_HYPOTHESIS=thorough runs thousands of examples, and unshrunk, for
# tools/mutations.py, does not look for the least one that fails.
_common = {"deadline": None, "print_blob": True, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", max_examples=30, **_common)
settings.register_profile("thorough", max_examples=2000, **_common)
settings.register_profile("unshrunk", max_examples=30, phases=[Phase.explicit, Phase.generate], **_common)
settings.load_profile(os.environ.get("LAGCOLOR_HYPOTHESIS", "ci"))


# Tests send Ctrl-C, to themselves and to processes of theirs, which a shell's background jobs ignore.
signal.signal(signal.SIGINT, signal.default_int_handler)


# LAGCOLOR_TEST_DEVICE=cuda:1 puts what the GPU tests put on "cuda" on that GPU, while another is the current device.
if elsewhere := os.environ.get("LAGCOLOR_TEST_DEVICE"):
    _parse = dev.parse_device
    dev.parse_device = lambda device: _parse(
        elsewhere if device in ("cuda", "gpu") and not emulated.stands_in() else device
    )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
        """Make the device current, as functions behind `color`, `verify` and others expect."""
        inner = item.get_closest_marker("inner") and item.get_closest_marker("gpu")
        with dev.cupy().cuda.Device(dev.parse_device("cuda")[1]) if inner else nullcontext():
            return (yield)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(report: pytest.TestReport) -> None:
        """An illegal access spoils its process: xdist gets another for the tests that follow."""
        if report.failed and "PYTEST_XDIST_WORKER" in os.environ and "an illegal memory access" in report.longreprtext:
            os._exit(1)


# Optional packages that are not installed, such as python-graphblas on Python 3.14: tests that import them skip.
_OPTIONAL = (
    "asdex", "dask", "distributed", "gcol", "graphblas", "hatchling", "igraph", "jax", "matplotlib", "networkx",
    "numpydoc", "pandas", "polars", "psutil", "pyamg", "pyarrow", "pysat", "rich", "rustworkx", "shtab",
)  # fmt: skip


def _is_missing(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is None
    except ValueError:  # None in sys.modules
        return True


_MISSING = tuple(filter(_is_missing, _OPTIONAL))


def _missing(e: BaseException | None) -> str | None:
    """The package that an error is about, if it is an optional one that is not installed."""
    while e is not None:
        if isinstance(e, ModuleNotFoundError) and e.name and (name := e.name.partition(".")[0]) in _MISSING:
            return name
        e = e.__cause__
    return None


class _Module(pytest.Module):
    """A test module that skips if it imports a missing package."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        try:
            return super().collect()
        except self.CollectError as e:
            if (name := _missing(e)) is None:
                raise
            raise pytest.skip.Exception(f"{name} is not installed", allow_module_level=True) from e


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    return _Module.from_parent(parent, path=module_path)


def _skip_if_missing() -> Generator[None, object, object]:
    """Tests and fixtures that import a missing package skip."""
    try:
        return (yield)
    except Exception as e:
        if (name := _missing(e)) is None:
            raise
        raise pytest.skip.Exception(f"{name} is not installed") from e


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Item) -> Generator[None, object, object]:
    return (yield from _skip_if_missing())


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: object, request: object) -> Generator[None, object, object]:
    return (yield from _skip_if_missing())


@pytest.fixture(scope="session")
def forks() -> Generator[Forks, None, None]:
    """For commands and scripts that need a process of their own, but not one that starts from nothing."""
    forks = Forks()
    yield forks
    forks.close()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keep all collected objects, so that a garbage collection, which tests often start, does not take 0.3 s."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    gpu = [i for i in items if i.get_closest_marker("gpu")]
    if not gpu:
        return
    try:
        dev.cupy()
    except lagcolor.DeviceError as e:
        for item in gpu:
            item.add_marker(pytest.mark.skip(reason=str(e)))


_INSTALLED = pytest.StashKey[ExitStack]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `emulated` has an emulated GPU from before its fixtures on; keywords of the mark say what kind."""
    if (mark := item.get_closest_marker("emulated")) is None:
        return
    if not emulated.available():
        pytest.skip("no C++ compiler")
    stack = item.stash[_INSTALLED] = ExitStack()
    stack.enter_context(emulated.emulated_gpu(**mark.kwargs))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    if _INSTALLED in item.stash:
        item.stash[_INSTALLED].close()
