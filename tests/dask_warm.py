"""Imported by the process of which workers are forks: they begin with the compiled code that they will need."""

from lagcolor.scale.dask.held import warm_up

warm_up()
