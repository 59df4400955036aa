"""C++ libraries, each behind a small driver of our own that is compiled when first needed."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness.codes import Code
from benchmarks.harness.peers import Library

if TYPE_CHECKING:
    from benchmarks.harness.worker import Worker, Workers

HERE = Path(__file__).parent
FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG")


@dataclass(frozen=True)
class Native(Library):
    """A driver."""

    name: str
    source: str  # file in this folder
    words: tuple[str, ...]  # what the driver runs: orders, or methods in natural order
    header: str = ""  # what must be there to compile it
    package: str = ""  # Debian's package of it
    wheel: str = ""  # PyPI's package of its headers, "" if there is none; Debian's come first
    flags: tuple[str, ...] = ()  # further flags, libraries after the source
    words_are_methods: bool = False
    device: str = "cpu"
    command: tuple[str, ...] = ("g++", *FLAGS)

    def absent(self) -> str | None:
        """No compiler, no header, or a driver that does not compile."""
        try:
            self.binary()
        except RuntimeError as e:
            return str(e)
        return None

    def version(self) -> str:
        """The library's own number if its headers have one, else the number of Debian's package."""
        if not self.package:
            return compiler(self.command[0])
        if self.wheel and _include(self):
            return importlib.metadata.version(self.wheel)
        asked = subprocess.run(["dpkg-query", "-Wf", "${Version}", self.package], capture_output=True, text=True)
        return asked.stdout.strip() or "unknown"

    def binary(self) -> Path:
        """The compiled driver, made anew when its source, the flags or the compiler change."""
        return _compile(self)

    def open(self, workers: Workers) -> Worker:
        """The driver on a graph."""
        return workers.drive(lambda: [str(self.binary()), str(workers.file())], self._word)

    def codes(self) -> list[Code]:
        """A code a word of the driver."""
        return [
            Code(self.name, word, "natural") if self.words_are_methods else Code(self.name, "greedy", word)
            for word in self.words
        ]

    def _word(self, code: Code) -> str:
        return code.method if self.words_are_methods else code.order


_ORDERS = ("natural", "largest_first", "smallest_last")
_BOOST: dict[str, Any] = {
    "source": "boost.cpp",
    "words": _ORDERS,
    "header": "boost/graph/graph_traits.hpp",
    "package": "libboost-graph-dev",
    "wheel": "boost-headers",
}
_COLPACK: dict[str, Any] = {"header": "ColPack/ColPackHeaders.h", "package": "libcolpack-dev"}
_COLPACK |= {"flags": ("-lColPack", "-lgomp")}
NATIVE = [
    Native("ref", "reference.cpp", ("bits", "stamp"), words_are_methods=True),
    Native("boost", **_BOOST, flags=("-DINDEX=std::size_t",)),
    Native("boost32", **_BOOST, flags=("-DINDEX=std::uint32_t",)),
    Native("colpack", "colpack.cpp", (*_ORDERS, "incidence_degree", "dynamic_largest_first"), **_COLPACK),
]
ECL_GC = Native(
    "ECL-GC v1.2", "ecl_gc.cu", ("ecl_gc",), words_are_methods=True, header="ECLgraph.h", device="cuda",
    command=("nvcc", "-std=c++17", "-O3", "-arch=native"),
)  # fmt: skip


def build_folder() -> Path:
    """The folder of compiled drivers."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lagcolor" / "drivers"


@functools.cache
def compiler(name: str = "g++") -> str:
    """What the compiler says of its version, on one line; RuntimeError if there is none."""
    if shutil.which(name) is None:
        raise RuntimeError(f"no {name}")
    printed = subprocess.run([name, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    return printed[-1] if name == "nvcc" else printed[0]


@functools.cache
def _include(peer: Native) -> tuple[str, ...]:
    """Flags that find the headers of a wheel; none if the compiler finds the header without, or there is none."""
    if not peer.wheel or shutil.which("g++") is None:
        return ()
    spec = importlib.util.find_spec(peer.wheel.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations or _has_header(peer.header):
        return ()
    flags = (f"-isystem{Path(spec.submodule_search_locations[0], 'include')}",)
    return flags if _has_header(peer.header, *flags) else ()


def _has_header(header: str, *flags: str) -> bool:
    probe = ["g++", *flags, "-E", "-x", "c++", "-"]
    return subprocess.run(probe, input=f"#include <{header}>\n", capture_output=True, text=True).returncode == 0


@functools.cache
def _compile(peer: Native) -> Path:
    source = HERE / peer.source
    texts = [file.read_text() for file in (source, *sorted(HERE.glob("*.hpp")))]
    version = peer.version() if (include := _include(peer)) else ""
    key = "\n".join([compiler(peer.command[0]), *peer.command, *peer.flags, *([version] if version else []), *texts])
    binary = build_folder() / f"{peer.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if binary.exists():
        return binary
    if peer.header and not include and not _has_header(peer.header):
        wheel = f", or pip install {peer.wheel}" if peer.wheel else ""
        where = f"apt install {peer.package}{wheel}" if peer.package else "see benchmarks/peers/README.md"
        raise RuntimeError(f"no {peer.header}: {where}")
    binary.parent.mkdir(parents=True, exist_ok=True)
    part = binary.with_suffix(f".{os.getpid()}")
    made = subprocess.run(
        [*peer.command, *include, str(source), "-o", str(part), *peer.flags], capture_output=True, text=True
    )
    if made.returncode:
        errors = [line for line in made.stderr.splitlines() if "error" in line]
        raise RuntimeError(f"{peer.source} does not compile: {errors[0] if errors else made.stderr[-200:]}")
    part.replace(binary)  # whole or not at all, should two runs compile at once
    return binary
