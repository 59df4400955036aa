"""Colors of edges: a table of the edges at each vertex by color, and what fans and alternating paths change in it."""
