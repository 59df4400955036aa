"""`ElementwiseKernel` and `ReductionKernel`: their text in a loop, compiled and launched as `RawModule` does it.

As CuPy does: parameters are broadcast unless raw, a single letter stands for any type, types must match, a raw array is
a `CArray`, here one that checks its bounds. Arrays are contiguous or of one dimension.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from semirings.codegen import C_TYPES

from .array import ndarray
from .compiler import RawModule
from .runtime import current, demand

THREADS, BLOCKS = 64, 8
WIDE = {
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "float16": "_Float16",
    "complex64": "_Complex float",
    "complex128": "_Complex double",
}
PRELUDE = """#include <stddef.h>
struct Place { const char *file; unsigned line, column; };
extern "C" void __ubsan_handle_out_of_bounds(const Place *place, void *, void *);
template <class T> struct CArray {
    T *data;
    ptrdiff_t length;
    ptrdiff_t size() const { return length; }
    T &operator[](ptrdiff_t i) const {
        static const Place here = {__FILE__, __LINE__, 0};  // the bounds of a raw array
        if (i < 0 || i >= length) __ubsan_handle_out_of_bounds(&here, nullptr, nullptr);
        return data[i];
    }
};
struct CIndexer { ptrdiff_t length; ptrdiff_t size() const { return length; } };
#define SHARED_LOAD(a, k) emulated_load(&a[k])  // as in osama_graphblas/elementwise.py; others may take their turns
#define SHARED_STORE(a, k, x) emulated_store(&a[k], x)
"""


class Parameter:
    """One of "raw T x, int32 y"."""

    def __init__(self, text: str) -> None:
        *how, self.type, self.name = text.split()
        assert how in ([], ["raw"]), text
        assert self.name != "i", "Can not use 'i' as a parameter name"
        self.raw = bool(how)

    def bind(self, types: dict[str, np.dtype], dtype: np.dtype) -> None:
        """Say that an array of that type is passed."""
        want = types.setdefault(self.type, dtype) if len(self.type) == 1 else np.dtype(self.type)
        if want != dtype:
            raise TypeError(f"Type is mismatched. {self.name} {dtype} {want}")

    def dtype(self, types: dict[str, np.dtype]) -> np.dtype:
        return types[self.type] if len(self.type) == 1 else np.dtype(self.type)


def parameters(text: str) -> list[Parameter]:
    return [Parameter(p) for p in text.split(",") if p.strip()]


def c_type(dtype: np.dtype) -> str:
    return C_TYPES.get(dtype.name) or WIDE[dtype.name]


class Texts:
    """The common part of both kinds of kernels: check and broadcast arguments, and compile for their types."""

    def __init__(self, in_params: str, out_params: str, name: str, preamble: str) -> None:
        assert re.fullmatch(r"[A-Za-z_]\w*", name), f'Invalid kernel name: "{name}"'
        self.inputs, self.outputs = parameters(in_params), parameters(out_params)
        self.name, self.preamble = name, preamble
        self._compiled: dict[Any, Any] = {}

    def _checked(self, args: Sequence[Any]) -> dict[str, np.dtype]:
        """The types that single letters stand for."""
        types: dict[str, np.dtype] = {}
        outs = list(zip(self.outputs, args[len(self.inputs) :], strict=False))
        for p, x in (*outs, *zip(self.inputs, args, strict=False)):
            if isinstance(x, ndarray):
                demand(x._device, f"argument {p.name} of {self.name}")
                p.bind(types, x.dtype)
            else:
                assert not isinstance(x, np.ndarray) or not x.ndim, f"{p.name} of {self.name} is of the host"
                assert not p.raw, f"{p.name} of {self.name} is raw, and no array"
                assert p not in self.outputs, "Output arguments must be cupy.ndarray"
        return types

    def _launch(self, body: str, types: dict[str, np.dtype], words: list[Any], n: int, blocks: int) -> None:
        """`body` with declarations of all parameters, each a pointer and a length or a distance."""
        key = current(), tuple(sorted((k, v.name) for k, v in types.items()))
        if key not in self._compiled:
            every = [*self.inputs, *self.outputs]
            letters = "".join(f"typedef {c_type(t)} {letter};\n" for letter, t in sorted(types.items()))
            heads = ", ".join(f"{c_type(p.dtype(types))} *{p.name}_at, long long {p.name}_by" for p in every)
            raw = (p for p in every if p.raw)
            arrays = "".join(f"CArray<{c_type(p.dtype(types))}> {p.name}{{{p.name}_at, {p.name}_by}};\n" for p in raw)
            steps = "".join(self._element(p, types) for p in every if not p.raw)
            kernel = f'extern "C" __global__ void {self.name}({heads}, long long length_) {{\n{arrays}'
            text = f"{PRELUDE}{letters}{self.preamble}\n{kernel}{body.replace('ELEMENTS', steps)}\n}}\n"
            self._compiled[key] = RawModule(text).get_function(self.name)
        self._compiled[key].kernel((blocks,), (min(-(-n // blocks), THREADS),), (*words, n))

    def _element(self, p: Parameter, types: dict[str, np.dtype]) -> str:
        kind = ("const " if p in self.inputs else "") + c_type(p.dtype(types))
        return f"{kind} &{p.name} = *({kind} *)((char *){p.name}_at + i * {p.name}_by);\n"

    def _words(self, p: Parameter, x: Any, shape: tuple[int, ...], types: Any, alive: list[Any]) -> list[Any]:
        """A pointer, and the length of a raw array or the bytes from one element to the next."""
        if not isinstance(x, ndarray):
            host = np.array(x).astype(p.dtype(types))
            alive.append(host)
            return [host.ctypes.data, 0]
        if p.raw:
            assert x.flags.c_contiguous, f"{p.name} of {self.name} is not contiguous"
            return [x.host.ctypes.data, x.size]
        host = np.broadcast_to(x.host, shape)
        if host.ndim > 1 and not host.flags.c_contiguous:
            assert p in self.inputs, f"{p.name} of {self.name} is not contiguous"
            host = np.ascontiguousarray(host)
        alive.append(host)
        one = host.ndim != 1 or host.shape[0] == 1
        return [host.ctypes.data, host.itemsize if one else host.strides[0]]


class ElementwiseKernel(Texts):
    """An elementwise kernel like CuPy's; with more than `BLOCKS` blocks of elements, a thread processes several."""

    def __init__(
        self, in_params: str, out_params: str, operation: str, name: str = "kernel", preamble: str = ""
    ) -> None:
        super().__init__(in_params, out_params, name, preamble)
        self._body = f"""CIndexer _ind{{length_}};
        for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _ind.size();
             i += (ptrdiff_t)blockDim.x * gridDim.x) {{
            ELEMENTS
            {operation};
        }}"""

    def __call__(self, *args: Any, size: int | None = None, block_size: int = 128, stream: Any = None) -> Any:
        from .module import Cupy

        n_in, n_all = len(self.inputs), len(self.inputs) + len(self.outputs)
        if len(args) not in (n_in, n_all):
            raise TypeError(f"Wrong number of arguments for {self.name!r}: {n_in} or {n_all}, not {len(args)}")
        types = self._checked(args)
        every = [*self.inputs, *self.outputs]
        passed = [x for p, x in zip(every, args, strict=False) if isinstance(x, ndarray) and not p.raw]
        if (size is None) == (not passed):
            raise ValueError("size= is for kernels whose arrays are all raw")
        shape = (int(size),) if size is not None else np.broadcast_shapes(*(x.shape for x in passed))
        outs = list(args[n_in:]) or [Cupy.empty(shape, p.dtype(types)) for p in self.outputs]
        for p, x in zip(self.outputs, outs, strict=True):
            if not p.raw and x.shape != shape:
                raise ValueError("Out shape is mismatched")
        n = int(np.prod(shape))
        if n:
            alive: list[Any] = []
            arguments = zip(every, (*args[:n_in], *outs), strict=True)
            words = [w for p, x in arguments for w in self._words(p, x, shape, types, alive)]
            self._launch(self._body, types, words, n, min(-(-n // THREADS), BLOCKS))
        return outs[0] if len(outs) == 1 else tuple(outs)


class ReductionKernel(Texts):
    """A reduction like CuPy's, of all elements to one; four partial results are combined at the end."""

    def __init__(
        self, in_params: str, out_params: str, map_expr: str, reduce_expr: str, post_map_expr: str, identity: str,
        name: str = "reduce_kernel", reduce_type: str | None = None, preamble: str = "",
    ) -> None:  # fmt: skip
        super().__init__(in_params, out_params, name, preamble)
        self._identity = identity or ""
        out = self.outputs[0]
        kind = reduce_type or (out.type if len(out.type) == 1 else c_type(np.dtype(out.type)))
        result = out.name
        self._body = f"""typedef {kind} _type_reduce;
        #define REDUCE(a, b) ({reduce_expr})
        #define POST_MAP(a) ({post_map_expr})
        _type_reduce sums_[4];
        for (auto &s : sums_) s = _type_reduce({self._identity});
        for (ptrdiff_t i = 0; i < length_; i++) {{
            ELEMENTS
            _type_reduce a_ = static_cast<_type_reduce>({map_expr});
            sums_[i % 4] = REDUCE(sums_[i % 4], a_);
        }}
        for (int s = 2; s; s /= 2)
            for (int t = 0; t < s; t++) sums_[t] = REDUCE(sums_[t], sums_[t + s]);
        auto &{result} = *{result}_at;
        POST_MAP(sums_[0]);
        #undef REDUCE
        #undef POST_MAP"""

    def __call__(self, *args: Any, out: Any = None, axis: Any = None) -> Any:
        from .module import Cupy

        assert axis is None and len(args) == len(self.inputs) and len(self.outputs) == 1
        types = self._checked(args)
        shape = np.broadcast_shapes(*(x.shape for x in args if isinstance(x, ndarray)))
        n = int(np.prod(shape))
        if n == 0 and not self._identity:
            raise ValueError(f"zero-size array to reduction operation {self.name} which has no identity")
        out = Cupy.empty((), self.outputs[0].dtype(types)) if out is None else out
        alive: list[Any] = []
        pairs = list(zip(self.inputs, args, strict=True))
        words = [w for p, x in pairs for w in self._words(p, x, shape, types, alive)]
        self._launch(self._body, types, [*words, out.host.ctypes.data, 0], n, n)
        return out
