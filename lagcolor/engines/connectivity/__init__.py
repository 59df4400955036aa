"""Elements of a few nodes each, as arrays of fixed width: those that share a node get different colors."""
