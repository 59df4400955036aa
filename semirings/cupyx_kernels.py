"""Kernel texts of the engine "cupyx": C code for ElementwiseKernels and a ReductionKernel of CuPy.

The code only uses features of both CUDA and HIP: no inline assembly, no assumption about the number of lanes in a warp,
and only the atomics `atomicAdd` and `atomicCAS`. An empty presence array means that all entries are present.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import codegen
from .algebra import BOOL, DTYPES, BinaryOp, Monoid, Semiring, UnaryOp
from .codegen import c_type

FULL, BITMAP = 1, 2  # equal to vectors.OUT_FULL and OUT_BITMAP

# Expressions for bools, for integers (U is unsigned, so arithmetic wraps) and for floats.
UNARY_TEXTS = {
    "ainv": ("x", "(T)(U(0) - U(x))", "-x"),
    "abs": ("x", "x < T(0) ? (T)(U(0) - U(x)) : x", "x < T(0) ? -x : x"),
}
BINARY_TEXTS = {
    "plus": ("x || y", "(T)(U(x) + U(y))", "x + y"),
    "minus": ("x != y", "(T)(U(x) - U(y))", "x - y"),
    "times": ("x && y", "(T)(U(x) * U(y))", "x * y"),
    "min": ("x && y", "x < y ? x : y", "fmin(x, y)"),
    "max": ("x || y", "x > y ? x : y", "fmax(x, y)"),
}
HAS = "#define HAS(present, k) (!present.size() || present[k])\n"


@functools.cache
def operators() -> str:
    """Operators and casts for every type: to bool is "not zero", integers wrap, floats saturate, NaN becomes 0."""
    lines = ["namespace ops {"]
    for dtype in DTYPES:
        kind, name = "biuf".index(dtype.kind), c_type(dtype)
        unsigned = c_type(np.dtype(f"uint{8 * dtype.itemsize}")) if kind in (1, 2) else name
        for parameters, table in (("T x", UNARY_TEXTS), ("T x, T y", BINARY_TEXTS)):
            for op, texts in table.items():
                text = texts[(0, 1, 1, 2)[kind]]
                head = f"__device__ inline {name} {op}({parameters.replace('T', name)})"
                lines.append(f"{head} {{ typedef {name} T; typedef {unsigned} U; return {text}; }}")
    lines.append("}")
    for dtype in DTYPES:
        name, to = c_type(dtype), cast("", dtype)[:-2]
        convert = "x != A(0)" if dtype == BOOL else f"({name})x"
        lines.append(f"template <class A> __device__ inline {name} {to}(A x) {{ return {convert}; }}")
        if dtype.kind in "iu":
            range_of: Any = np.iinfo(dtype.name)
            ends = int(range_of.min), int(range_of.max)
            low, high = (f"({name}){x & 2**64 - 1:#x}ULL" for x in ends)
            inside = f"x >= {float(ends[1])!r} ? {high} : x <= {float(ends[0])!r} ? {low}"
            lines.append(f"__device__ inline {name} {to}(double x) {{ return x != x ? 0 : {inside} : ({name})x; }}")
            lines.append(f"__device__ inline {name} {to}(float x) {{ return {to}((double)x); }}")
    return "\n".join(lines) + "\n" + HAS


def cast(text: str, dtype: np.dtype) -> str:
    """Expression that casts a value to a type."""
    return f"cast_{dtype.name}({text})"


def function(name: str, op: UnaryOp | BinaryOp | None, domain: np.dtype, result: np.dtype) -> str:
    """Device function of x and y that computes `op` in its domain."""
    d, text = c_type(domain), "x" if op is None else op.cuda
    head = f"__device__ inline {c_type(result)} {name}({d} x, {d} y)"
    return f"{head} {{ typedef {d} D; (void)sizeof(D); return {cast(text, result)}; }}\n"


def sums(m: Monoid, z: np.dtype) -> str:
    """Code for sums of type Z by a monoid, by one thread or by atomics on words of 4 or 8 bytes (bool: 4)."""
    macros = codegen.monoid(m, z)
    of_word, of_value = "return w != 0;", "return z;"
    if z != BOOL:
        both = "union { Word w; Z z; } both;"
        of_word, of_value = f"{both} both.w = w; return both.z;", f"{both} both.z = z; return both.w;"
    more = "value" if m.is_any else "add(value, s.value)"
    adds = {  # addition in hardware; other operators loop over compare-and-swap
        "1": "atomicAdd(p, word_of(x));",
        "4": "atomicAdd((Z*)p, x);",
    }
    loop = """Word old = *(volatile Word*)p;
        for (;;) {
            const Word sum = word_of(add(value_of(old), x));
            if (sum == old) return;
            const Word seen = atomicCAS(p, old, sum);
            if (seen == old) return;
            old = seen;
        }"""
    atomically = "*(volatile Word*)p = word_of(x);" if m.is_any else adds.get(macros["ATOMIC"], loop)
    stops = {"0": "false", "1": f"word_of(value) == (Word){macros['TERMINAL']}", "2": "true"}[macros["STOP"]]
    return f"""
    typedef {c_type(z)} Z;
    typedef {c_type(np.dtype(word(z)))} Word;
    __device__ inline Z value_of(Word w) {{ {of_word} }}
    __device__ inline Word word_of(Z z) {{ {of_value} }}
    {function("add", m.op, z, z)}
    struct Sum {{  // a value, if has
        Z value;
        bool has;
        __device__ Sum() : value(value_of((Word){macros["IDENTITY"]})), has(false) {{}}
        __device__ Sum(Z value, bool has) : value(value), has(has) {{}}
        __device__ void operator+=(const Sum& s) {{
            if (s.has) *this = Sum(has ? {more} : s.value, true);
        }}
        __device__ bool done() const {{ return has && ({stops}); }}
    }};
    __device__ inline Sum operator+(Sum a, const Sum& b) {{ a += b; return a; }}
    __device__ inline void add_to_entry(Word* p, bool* present, Z x) {{  // presence only changes from 0 to 1
        *(volatile bool*)present = true;
        {atomically}
    }}
    """


Text = dict[str, Any]  # the arguments of an ElementwiseKernel


def _text(name: str, in_params: str, out_params: str, operation: str, preamble: str) -> Text:
    text = {"in_params": in_params, "out_params": out_params, "operation": operation}
    return {"name": f"semirings_{name}", **text, "preamble": operators() + preamble}


def elementwise(kind: str, op: Any, accum: BinaryOp | None, types: tuple[Any, ...]) -> Text:
    """out⟨mask, replace⟩ accum= t, where t(i) depends on u(i) and v(i); `kind` as in kernels/elementwise.cu."""
    u, out, t, domain, v, s = types
    d = u if domain is None else domain
    x, y, number = (cast(value, d) for value in ("u[i]", "v[i]", "number"))
    has_u, has_v = "HAS(u_present, i)", "HAS(v_present, i)"
    either = f"!{has_v} ? {cast('u[i]', t)} : !{has_u} ? {cast('v[i]', t)} : f({x}, {y})"
    has, value = {
        "UNARY": (has_u, f"f({x}, {x})"),
        "BOUND_LEFT": (has_u, f"f({number}, {x})"),
        "BOUND_RIGHT": (has_u, f"f({x}, {number})"),
        "EWISE_ADD": (f"{has_u} || {has_v}", either),
        "EWISE_MULT": (f"{has_u} && {has_v}", f"f({x}, {y})"),
        "CONSTANT": ("true", cast("number", t)),
        "SELECT_UNARY": (f"{has_u} && f({x}, {x})", cast("u[i]", t)),
        "SELECT_RIGHT": (f"{has_u} && f({x}, {number})", cast("u[i]", t)),
        "GATHER": ("at[i] >= 0 && at[i] < u_size && HAS(u_present, at[i])", cast("u[at[i]]", t)),
    }[kind]
    written = cast("t", out)
    if accum is not None:
        sum_type = accum.domain_of(out, out)
        written = f"had ? accumulate({cast('w[i]', sum_type)}, {cast('t', sum_type)}) : {written}"
    result = BOOL if kind.startswith("SELECT") else t
    functions = function("f", op, d, result) + ("" if accum is None else function("accumulate", accum, sum_type, out))
    vectors = f"raw {u.name} u, raw bool u_present, raw {v.name} v, raw bool v_present, {s.name} number"
    inputs = f"{vectors}, raw int64 at, int64 u_size, raw bool mask, raw bool old, int32 state, bool replace"
    operation = f"""
        const bool had = state == {BITMAP} ? old[i] : state == {FULL};
        const bool inside = HAS(mask, i), has = inside && ({has});
        if (has) {{
            const {c_type(t)} t = {value};
            w[i] = {written};
        }}
        if (present.size()) present[i] = inside ? has{"" if accum is None else " || had"} : had && !replace;
    """
    return _text(kind.lower(), inputs, f"raw {out.name} w, raw bool present", operation, functions)


def product(s: Semiring, u: np.dtype, a: np.dtype, domain: np.dtype, swap: bool, push: bool) -> Text:
    """A thread per row of the matrix: pull computes entry i of the result, push adds the products of entry i of u."""
    reads_x, reads_y = codegen.reads(s.multiply)
    reads_u, reads_a = (reads_y, reads_x) if swap else (reads_x, reads_y)
    d, z = c_type(domain), s.result(domain)
    left = cast("u[%s]" % ("i" if push else "j"), domain) if reads_u else f"({d})1"
    right = cast("a[a.size() > 1 ? k : 0]", domain) if reads_a else f"({d})1"
    term = f"multiply({right}, {left})" if swap else f"multiply({left}, {right})"
    pulled = f"""
        Sum sum;
        if (HAS(mask, i))
            for (P k = indptr[i]; k < indptr[i + 1] && !sum.done(); ++k) {{
                const int j = indices[k];
                if (HAS(u_present, j)) sum += Sum({term}, true);
            }}
        if (sum.has) w[i] = sum.value;
        if (present.size()) present[i] = sum.has;
    """
    pushed = f"""
        if (HAS(u_present, i))
            for (P k = indptr[i]; k < indptr[i + 1]; ++k) {{
                const int j = indices[k];
                if (HAS(mask, j)) add_to_entry(&w[j], &present[j], {term});
            }}
    """
    inputs = f"raw P indptr, raw int32 indices, raw {a.name} a, raw {u.name} u, raw bool u_present, raw bool mask"
    written = f"raw {word(z) if push else z.name} w, raw bool present"
    functions = sums(s.add, z) + function("multiply", s.multiply, domain, z)
    return _text("push" if push else "pull", inputs, written, pushed if push else pulled, functions)


def word(z: np.dtype) -> str:
    """Type of the words to which atomics add, for sums of type z."""
    return "uint64" if z.itemsize == 8 else "uint32"


def scatter(m: Monoid, z: np.dtype, u: np.dtype, x: np.dtype, number: bool) -> Text:
    """w(u(i)) = x(i), or a number; the monoid combines repeated indices."""
    inputs = f"raw {u.name} u, raw bool u_present, {'' if number else 'raw '}{x.name} x, raw bool x_present"
    operation = f"""
        const long long to = HAS(u_present, i) && HAS(x_present, i) ? (long long)u[i] : -1;
        if (to >= 0 && to < w.size()) add_to_entry(&w[to], &present[to], {cast("x" if number else "x[i]", z)});
    """
    return _text("scatter", inputs, f"raw {word(z)} w, raw bool present", operation, sums(m, z))


def place(x: np.dtype, t: np.dtype, number: bool) -> Text:
    """t(at(i)) = x(i), or a number; the entry is absent if x(i) is."""
    operation = f"""
        const long long to = at[i];
        if (to < 0 || to >= t.size()) continue;
        if (HAS(x_present, i)) t[to] = {cast("x" if number else "x[i]", t)};
        if (present.size()) present[to] = HAS(x_present, i);
    """
    inputs = f"raw int64 at, {'' if number else 'raw '}{x.name} x, raw bool x_present"
    return _text("place", inputs, f"raw {t.name} t, raw bool present", operation, "")


def partial_sums(m: Monoid, z: np.dtype, x: np.dtype) -> Text:
    """Thread i sums entries i, i + threads, … of x."""
    operation = f"""
        Sum sum;
        for (long long k = i; k < x.size() && !sum.done(); k += _ind.size())
            if (HAS(x_present, k)) sum += Sum({cast("x[k]", z)}, true);
        sums[i] = sum.value;
        has[i] = sum.has;
    """
    written = f"raw {z.name} sums, raw bool has"
    return _text("partial_sums", f"raw {x.name} x, raw bool x_present", written, operation, sums(m, z))


def total(m: Monoid, z: np.dtype) -> Text:
    """Arguments of the ReductionKernel that adds up the partial sums."""
    return {
        **{"name": "semirings_total", "in_params": f"{z.name} sum, bool has", "out_params": f"{z.name} total"},
        **{"map_expr": "Sum(sum, has)", "reduce_expr": "a + b", "post_map_expr": "total = a.value", "identity": ""},
        **{"reduce_type": "Sum", "preamble": operators() + sums(m, z)},
    }
