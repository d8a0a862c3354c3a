"""Policies as data: the language they are written in, their tables, and how they play."""
