"""What single papers measured, measured again: a module a table or figure."""
