"""numba's compiler without the passes that plain loops over arrays have no use for: a fifth of the time of compiling.

numba lets a function choose its pipeline (`pipeline_class`). What is left out serves what no function of this package
has: `with` blocks, closures as arguments, `literally` and `literal_unroll`, errors with computed messages, the
annotated listing. Where numba names a pass otherwise, that one runs as usual.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NopythonTypeInference

UNUSED = {
    "WithLifting", "RewriteDynamicRaises", "MakeFunctionToJitFunction", "FindLiterallyCalls",
    "LiteralUnroll", "LiteralPropagationSubPipelinePass", "AnnotateTypes", "DumpParforDiagnostics",
}  # fmt: skip


class Loops(Compiler):
    """The default pipeline but for `UNUSED`, with types of arithmetic that are remembered."""

    def define_pipelines(self) -> list[Any]:
        managers = super().define_pipelines()
        for manager in managers:
            kept = [(step, about) for step, about in manager.passes if step.__name__ not in UNUSED]
            manager.passes = [(Inference if step is NopythonTypeInference else step, about) for step, about in kept]
            manager._finalized = False
            manager.finalize()
        return managers


@register_pass(mutates_CFG=True, analysis_only=False)
class Inference(NopythonTypeInference):
    """numba's type inference, which asks for the type of the same sum or comparison hundreds of times a function."""

    def run_pass(self, state: Any) -> bool:
        whole = state.typingctx
        state.typingctx = _Remembering(whole)
        try:
            return super().run_pass(state)
        finally:
            state.typingctx = whole


class _Remembering:
    """A typing context that looks up a function of numbers once; numba goes through dozens of templates each time."""

    _found: dict[Any, Any] = {}  # noqa: RUF012

    def __init__(self, whole: Any) -> None:
        self._whole = whole

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """As of numba."""
        if kws or not isinstance(func, types.Function) or not all(isinstance(a, _NUMBERS) for a in args):
            return self._whole.resolve_function_type(func, args, kws)
        key = func, args
        if key not in self._found:
            found = self._whole.resolve_function_type(func, args, kws)
            if found is None:
                return None
            self._found[key] = found
        return self._found[key]


_NUMBERS = types.Number, types.Boolean
