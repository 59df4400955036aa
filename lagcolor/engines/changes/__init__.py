"""Colors of a graph that was changed, from those it had: what is no longer first-fit is colored again, and no more."""
