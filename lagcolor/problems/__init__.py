"""What a coloring must be, and how it is checked."""
