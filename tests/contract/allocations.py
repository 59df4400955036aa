"""NumPy's memory with an allocation that fails, the k-th.

`PyDataMem_SetHandler` of NumPy's C interface sets who allocates the data of arrays in one thread, also inside NumPy and
SciPy: results of sums, masks and sorting. Compiled loops, other threads of the library and SuiteSparse do not use it,
so their allocations do not fail here.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import emulated
import numpy as np
import pytest
from emulated.compiler import compiled

TEXT = r"""
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION  // the first with PyDataMem_SetHandler
#include <Python.h>
#include <numpy/arrayobject.h>
#include <stdlib.h>
extern "C" {
static long left = -1, asked = 0;
static bool fails() {
    asked++;
    return left >= 0 && left-- == 0;
}
static void *take(void *, size_t n) { return fails() ? NULL : malloc(n ? n : 1); }
static void *zeros(void *, size_t n, size_t size) { return fails() ? NULL : calloc(n ? n : 1, size ? size : 1); }
static void *resize(void *, void *p, size_t n) { return fails() ? NULL : realloc(p, n ? n : 1); }
static void give(void *, void *p, size_t) { free(p); }
static PyDataMem_Handler handler = {"failing", 1, {NULL, take, zeros, resize, give}};
PyObject *put(PyObject *other) { return PyDataMem_SetHandler(other); }
PyObject *own() {
    import_array1(NULL);
    return PyCapsule_New(&handler, "mem_handler", NULL);
}
void start(long k) { left = k; asked = 0; }
long stop() { left = -1; return asked; }
}
"""


@functools.cache
def library() -> ctypes.PyDLL:
    """The allocator, compiled; a test skips where it cannot be."""
    headers = Path(sysconfig.get_path("include"))
    if sys.platform != "linux" or not (emulated.available() and (headers / "Python.h").exists()):
        pytest.skip("needs Linux, a C++ compiler and headers of Python")
    found = ctypes.PyDLL(str(compiled(TEXT, (f"-I{headers}", f"-I{np.get_include()}", "-O1"))))
    found.own.restype = found.put.restype = ctypes.py_object
    found.put.argtypes = (ctypes.py_object,)
    return found


class Count:
    """How many allocations a block requested."""

    asked = 0


@contextmanager
def failing(k: int) -> Iterator[Count]:
    """Within the block, the allocation after `k` others fails; all succeed if k is negative."""
    memory, count = library(), Count()
    before = memory.put(memory.own())
    memory.start(k)
    try:
        yield count
    finally:
        count.asked = memory.stop()
        memory.put(before)
