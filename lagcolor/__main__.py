"""``python -m lagcolor``: the same as the command ``lagcolor``."""

import sys

from .cli import main

sys.exit(main())
