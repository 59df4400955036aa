"""Star colorings: first-fit, and where each entry of a Hessian is read."""
