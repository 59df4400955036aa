"""Run the first block of Python of a page, as a reader does who has installed the package: ``first_block.py PAGE``."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path


def main(page: str) -> int:
    """0 where the block does what it says."""
    block = re.search(r"^```python\n(.*?)^```", Path(page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if block is None:
        print(f"{page} has no block of Python")
        return 1
    if ">>>" not in block[1]:
        exec(compile(block[1], page, "exec"), {})
        return 0
    test = doctest.DocTestParser().get_doctest(block[1], {}, page, page, 0)
    return int(doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test).failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
