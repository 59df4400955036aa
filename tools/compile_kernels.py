"""Compile every CUDA source to machine code for each supported architecture; needs NVRTC, but no GPU.

python tools/compile_kernels.py [FILE.cu …] [--arch sm_75 …]

A source states the macros that its launcher defines, and their values, in a comment that starts a line:

    // variants: OFFSET_BITS=32,64 GROUP=1,32,256
    // variants: OFFSET_BITS=32 GROUP=1 TYPE="unsigned long long"

A line means every combination of its values (here: six programs). The programs of several lines add up (here: seven).
Without such a line, the source is compiled once, without macros.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import functools
import hashlib
import importlib.util
import itertools
import os
import re
import shlex
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from build_folder import build_folder

ROOT = Path(__file__).resolve().parents[1]
COMPILED = build_folder("nvrtc")  # hashes of successful compilations, for the tests and `make kernels`
PACKAGES = ("lagcolor", "semirings")
PASTED = tuple(
    ROOT / folder for folder in ("lagcolor/algorithms/osama_graphblas", "lagcolor/frontier", "semirings/kernels")
)
ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
VARIANTS = re.compile(r"^//\s*variants:(.*)$", re.MULTILINE)


class NvrtcMissingError(RuntimeError):
    """No NVRTC library is installed."""


@dataclass(frozen=True)
class Result:
    """One compilation: its source, whether it succeeded, the compiler's log and the size of the machine code."""

    source: Path
    arch: str
    defines: tuple[str, ...]
    ok: bool
    log: str
    code_bytes: int

    def __str__(self) -> str:
        outcome = f"{self.code_bytes:,} bytes" if self.ok else "FAILED"
        return f"{os.path.relpath(self.source)} {self.arch} {' '.join(self.defines)}: {outcome}"


def sources() -> list[Path]:
    """Return every .cu file of the packages."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.cu"))


def variants(text: str) -> list[tuple[str, ...]]:
    """Return the sets of NAME=VALUE that a source declares; see the module's docstring."""
    found: dict[tuple[str, ...], None] = {}
    for line in VARIANTS.findall(text):
        choices = []
        for macro in shlex.split(line):
            name, equals, values = macro.partition("=")
            if not name.isidentifier() or not equals:
                raise ValueError(f"not NAME=VALUE,… in a 'variants:' line: {macro!r}")
            choices.append([f"{name}={value}" for value in values.split(",")])
        found.update(dict.fromkeys(itertools.product(*choices)))
    return list(found) or [()]


def one_each() -> list[tuple[Path, str, tuple[str, ...]]]:
    """Return every source once, with variants and architectures in turn, for `make test`."""
    programs = [(f, variants(f.read_text())) for f in sources()]
    return [(f, ARCHITECTURES[i % len(ARCHITECTURES)], of[i % len(of)]) for i, (f, of) in enumerate(programs)]


def compile_source(source: Path, arch: str, defines: tuple[str, ...] = ()) -> Result:
    """Compile one file to machine code, with the options of lagcolor on a GPU.

    A file with the hash of an earlier successful compilation is not compiled again.
    """
    from lagcolor.base.device.source import INCLUDE_DIR, INCLUDES, OPTIONS

    # Kernels find headers only in INCLUDES, as on a GPU; headers of kernels in PASTED are pasted into them.
    local = [f"-I{source.parent}"] if source.parent in PASTED or not source.is_relative_to(INCLUDE_DIR) else []
    options = [f"-arch={arch}", *OPTIONS, *(f"-D{d}" for d in defines)]
    folders = [*local, *INCLUDES, *(f"-I{d}" for d in header_folders())]
    known = COMPILED / _fingerprint(source, options)
    if known.exists():
        return Result(source, arch, defines, True, "", int(known.read_text()))
    ok, log, size = _compile(source, [*options, *folders])
    if ok and not log:
        COMPILED.mkdir(parents=True, exist_ok=True)
        new = known.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        new.write_text(str(size))
        new.replace(known)
    return Result(source, arch, defines, ok, log, size)


def _fingerprint(source: Path, options: list[str]) -> str:
    found = [*(p for x in PACKAGES for p in ROOT.glob(f"{x}/**/*.cuh")), *source.parent.glob("*.cuh")]
    headers = [header.read_bytes() for header in sorted(set(found))]
    compiler = Path(library()._name)
    made = (options, compiler.name, compiler.stat().st_mtime if compiler.exists() else None)
    return hashlib.sha256(b"\0".join([source.read_bytes(), repr(made).encode(), *headers])).hexdigest()


def _compile(source: Path, options: list[str]) -> tuple[bool, str, int]:
    """Compile; return success, the compiler's log and the number of bytes of machine code."""
    nvrtc = library()
    program = ctypes.c_void_p()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), source.name.encode(), 0, None, None))
    try:
        encoded = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        ok = nvrtc.nvrtcCompileProgram(program, len(options), encoded) == 0
        size = ctypes.c_size_t()
        _check(nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
        log = ctypes.create_string_buffer(size.value)
        _check(nvrtc.nvrtcGetProgramLog(program, log))
        size.value = 0
        if ok:
            _check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)))
        return ok, log.value.decode(errors="replace").strip(), size.value
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _check(status: int) -> None:
    if status:
        text = library().nvrtcGetErrorString
        text.restype = ctypes.c_char_p
        raise RuntimeError(f"NVRTC: {text(status).decode()}")


@functools.cache
def library() -> ctypes.CDLL:
    """Load NVRTC from its wheel, else from a CUDA toolkit.

    Raises
    ------
    NvrtcMissingError
        Neither is installed.
    """
    wheels = [lib for d in _site_packages() for lib in sorted(d.glob("nvidia/*/lib/libnvrtc.so.*"), reverse=True)]
    toolkit = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda")) / "lib64" / "libnvrtc.so"
    named = ctypes.util.find_library("nvrtc")
    for path in [*map(str, wheels), str(toolkit), *([named] if named else [])]:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise NvrtcMissingError("no NVRTC: pip install nvidia-cuda-nvrtc nvidia-cuda-cccl (both are in the extra 'test')")


@functools.cache
def header_folders() -> tuple[Path, ...]:
    """Return the folders of headers such as <cuda/atomic>: CuPy's copy, else the wheel's or the toolkit's."""
    cupy = importlib.util.find_spec("cupy")
    in_cupy = (
        [Path(p) / "_core/include/cupy/_cccl/libcudacxx" for p in (cupy.submodule_search_locations or [])]
        if cupy
        else []
    )
    in_wheel = [found for d in _site_packages() for found in d.glob("nvidia/*/include/cccl")]
    toolkit = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda")) / "include"
    candidates = [*in_cupy, *in_wheel, toolkit / "cccl", toolkit]
    return next(((c,) for c in candidates if (c / "cuda").is_dir()), ())


def _site_packages() -> list[Path]:
    return [Path(d) for d in dict.fromkeys([sysconfig.get_path("purelib"), *sys.path]) if d]


def main(argv: list[str] | None = None) -> int:
    """Compile all and print a line each; return 0 if all succeeded."""
    parser = argparse.ArgumentParser(description="Compile every CUDA source without a GPU.")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.cu", help="default: all")
    parser.add_argument("--arch", nargs="+", default=ARCHITECTURES, help="default: %(default)s")
    args = parser.parse_args(argv)
    jobs = [(f, a, d) for f in args.files or sources() for d in variants(f.read_text()) for a in args.arch]
    if not jobs:
        print("compile_kernels: no .cu file found", file=sys.stderr)
        return 1
    try:
        library()
    except NvrtcMissingError as e:
        print(f"compile_kernels: {e}", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = []
        for result in pool.map(lambda job: compile_source(*job), jobs):
            print(result, *([result.log] if result.log else []), sep="\n")
            results.append(result)
    failed = sum(not r.ok for r in results)
    print(f"{len(results) - failed} compiled, {failed} failed, {len({r.source for r in results})} source files")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
