"""The public names that docs/reference lists, with their signatures.

python tests/contract/public.py          what differs from public.json; 1 where anything does
python tests/contract/public.py --keep   write that file anew
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Names = dict[str, Any]
Modules = dict[str, Names]
OURS = ("lagcolor", "semirings")
STORED = Path(__file__).with_name("public.json")
PAGES = Path(__file__).parents[2] / "docs" / "reference"
ENTRY = re.compile(r"^   ([\w.]+)$|^\.\. py:data:: (\S+)$|^\.\. currentmodule:: (\S+)$", re.MULTILINE)


def listed() -> Iterator[tuple[str, str]]:
    """Module and name of each entry of docs/reference."""
    for page in sorted(PAGES.glob("*.md")):
        module = ""
        for name, whole, current in ENTRY.findall(page.read_text()):
            module = current or module
            if whole:
                yield tuple(whole.rsplit(".", 1))  # type: ignore[misc]
            elif name:
                yield module, name


def now() -> Modules:
    """Module → name → what it is."""
    out: Modules = {}
    for module, name in listed():
        out.setdefault(module, {})[name] = described(getattr(importlib.import_module(module), name))
    return {module: dict(sorted(names.items())) for module, names in sorted(out.items())}


def described(thing: Any) -> Any:
    """A function's signature; the signatures of a class and its public members; the names in a table."""
    if inspect.isclass(thing):
        return {"class": bases(thing), **members(thing)}
    if isinstance(thing, Mapping):
        return sorted(str(key) for key in thing)
    if callable(thing):
        return signature(thing)
    if isinstance(thing, tuple):
        return list(thing)
    return type(thing).__name__


def signature(function: Any) -> str:
    """Return a signature as text, without addresses of objects."""
    return re.sub(" at 0x[0-9a-f]+", "", str(inspect.signature(function)))


def bases(cls: type) -> str:
    """Its base classes, and its signature unless it is an error."""
    names = ", ".join(base.__name__ for base in cls.__mro__[1:-1])
    made = "" if issubclass(cls, BaseException) else signature(cls)
    return f"({names}) {made}".strip()


def members(cls: type) -> dict[str, str]:
    """Public methods, properties and fields that it or a class of ours defines."""
    out = dict.fromkeys((f for f in getattr(cls, "__dataclass_fields__", ()) if f[0] != "_"), "field")
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] not in OURS:
            continue
        for name, thing in vars(base).items():
            function = getattr(thing, "__func__", thing)
            if name.startswith("_") or (name in out and not callable(function)):
                continue
            out[name] = signature(function) if inspect.isfunction(function) else "attribute"
    return dict(sorted(out.items()))


def flat(modules: Modules) -> dict[str, str]:
    """Dotted name → signature."""
    out = {}
    for module, names in modules.items():
        for name, what in names.items():
            parts = what if isinstance(what, dict) else {"": what}
            out |= {f"{module}.{name}" + (f".{part}" if part else ""): str(x) for part, x in parts.items()}
    return out


def compare(then: Modules, today: Modules) -> list[str]:
    """A line for each name that is gone, new or has another signature."""
    before, after = flat(then), flat(today)
    lines = [f"gone: {name}" for name in before if name not in after]
    lines += [f"new: {name}{what}" for name, what in after.items() if name not in before]
    both = (name for name in before if name in after)
    return lines + [f"changed: {x}: {before[x]} -> {after[x]}" for x in both if before[x] != after[x]]


def main() -> int:
    """Compare, or keep."""
    today = now()
    if "--keep" in sys.argv[1:]:
        STORED.write_text(json.dumps(today, indent=1, ensure_ascii=False) + "\n")
        print(f"wrote {len(flat(today))} names to {STORED}")
        return 0
    lines = compare(json.loads(STORED.read_text()), today)
    print("\n".join(lines) or "as they were")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
