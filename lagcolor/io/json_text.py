"""JSON of files: a repeated key of an object is an error, and all errors of a text have one type."""

from __future__ import annotations

import json
from typing import Any

from .files import shown


class JSONError(ValueError):
    """A JSON text is malformed; `line` is its line, if the parser knows it."""

    def __init__(self, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.line = line


def parsed(text: str | bytes) -> Any:
    """Return the value of a JSON text."""
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except JSONError:
        raise
    except json.JSONDecodeError as e:
        raise JSONError(e.msg, e.lineno) from e
    except UnicodeDecodeError as e:
        raise JSONError(f"byte {e.start} is no {e.encoding} text") from e
    except RecursionError as e:
        raise JSONError("lists or objects are nested too deeply") from e
    except ValueError as e:  # int() of a long text of digits
        raise JSONError("a number has too many digits") from e


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object as a dict; a repeated key is an error."""
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, _ in pairs:
            if key not in found:
                raise JSONError(f"the key {shown(key)} occurs twice in one object")
            del found[key]
    return found
