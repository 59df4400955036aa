"""Che, Rodgers, Beckmann, Reinhardt 2015: independent sets in rounds, the hybrid, and work stealing."""

from . import baseline, hybrid, work_stealing  # these register

__all__ = ["baseline", "hybrid", "work_stealing"]
