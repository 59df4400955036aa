"""Colorings with lists: a vertex may take some of the colors 0 … k − 1, and a class may weigh so much.

All of this runs on one core. What the modules share:

=========  ================================================================================================
colors     int32, −1 without a color; changed in place
forbidden  CSR of colors that a vertex may not have
room       float64 per color: what its class may still weigh
=========  ================================================================================================
"""
