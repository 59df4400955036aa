"""Qualities: attempts at fewer colors, one after another."""
