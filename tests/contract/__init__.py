"""What the library promises, by public names alone: run on every change, in at most 60 seconds on two cores."""
