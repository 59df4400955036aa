"""How a call runs: its request, its clock and its warnings."""
