"""Classes of nearly one size."""
