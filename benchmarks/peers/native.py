"""C++ libraries, each behind a small driver of our own that is compiled when first needed."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import Case, Code
from .remote import Remote
from .resident import Resident

HERE = Path(__file__).parent
BUILD = HERE.parent / "build"
FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG")


@dataclass(frozen=True)
class Native:
    """A driver.

    Attributes
    ----------
    name : str
    source : str
        File beside this one.
    header : str
        What must be there to compile it.
    package : str
        Debian's package of it.
    flags : tuple of str
        Further flags, libraries after the source.
    """

    name: str
    source: str
    header: str = ""
    package: str = ""
    flags: tuple[str, ...] = ()

    def absent(self) -> str | None:
        """No compiler, no header, or a driver that does not compile."""
        try:
            self.binary()
        except RuntimeError as e:
            return str(e)
        return None

    def version(self) -> str:
        """The library's own number where its headers give one, else that of Debian's package."""
        if not self.package:
            return compiler()
        asked = subprocess.run(["dpkg-query", "-Wf", "${Version}", self.package], capture_output=True, text=True)
        return asked.stdout.strip() or "unknown"

    def binary(self) -> Path:
        """The compiled driver, made anew when its source, the flags or the compiler change."""
        return _compile(self)

    def open(self, case: Case, timeout: float = 600) -> Remote:
        """Start the driver on a graph."""
        # These are measures of one core: libraries that would start threads by themselves are told so.
        env = {**os.environ, "OMP_NUM_THREADS": "1"}
        return Remote(lambda: Resident([str(self.binary()), str(case.egr)], env=env), self._code, timeout)

    def _code(self, word: str) -> Code:
        # The reference loops differ in method, the libraries in order.
        return Code("ref", word, "natural") if self.name == "ref" else Code(self.name, "greedy", word)


PEERS = [
    Native("ref", "reference.cpp"),
    Native("boost", "boost.cpp", "boost/graph/graph_traits.hpp", "libboost-graph-dev", ("-DINDEX=std::size_t",)),
    Native("boost32", "boost.cpp", "boost/graph/graph_traits.hpp", "libboost-graph-dev", ("-DINDEX=std::uint32_t",)),
    Native("colpack", "colpack.cpp", "ColPack/ColPackHeaders.h", "libcolpack-dev", ("-lColPack",)),
]


@functools.cache
def compiler() -> str:
    """First line of ``g++ --version``; RuntimeError where there is none."""
    if shutil.which("g++") is None:
        raise RuntimeError("no g++")
    return subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def _has_header(header: str) -> bool:
    probe = ["g++", "-E", "-x", "c++", "-"]
    return subprocess.run(probe, input=f"#include <{header}>\n", capture_output=True, text=True).returncode == 0


@functools.cache
def _compile(peer: Native) -> Path:
    source = HERE / peer.source
    key = "\n".join([compiler(), *FLAGS, *peer.flags, source.read_text(), (HERE / "driver.hpp").read_text()])
    binary = BUILD / f"{peer.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if binary.exists():
        return binary
    if peer.header and not _has_header(peer.header):
        raise RuntimeError(f"no {peer.header}: apt install {peer.package}")
    BUILD.mkdir(exist_ok=True)
    part = binary.with_suffix(f".{os.getpid()}")
    made = subprocess.run(["g++", *FLAGS, str(source), "-o", str(part), *peer.flags], capture_output=True, text=True)
    if made.returncode:
        errors = [line for line in made.stderr.splitlines() if "error" in line]
        raise RuntimeError(f"{peer.source} does not compile: {errors[0] if errors else made.stderr[-200:]}")
    part.replace(binary)  # whole or not at all, should two runs compile at once
    return binary
