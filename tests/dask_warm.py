"""Imported by the process of which workers are forks: they begin with the compiled code that they will need."""

import lagcolor.scale.dask  # noqa: F401
from lagcolor.scale import simulate

for spec in ("grid2d:8", "rmat:6"):
    simulate(spec, 4, order="random", verify=False)
