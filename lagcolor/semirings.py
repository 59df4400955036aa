"""The top-level package `semirings`, under the name that it had as a part of lagcolor."""

import sys

import semirings

sys.modules[__name__] = semirings
