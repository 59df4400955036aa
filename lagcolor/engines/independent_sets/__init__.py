"""Rounds of independent sets on a GPU: in each, local maxima among the vertices left take the round's color."""

from .rounds import MANY, GpuRounds, random_labelling

__all__ = ["MANY", "GpuRounds", "random_labelling"]
