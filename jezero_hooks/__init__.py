"""Gives a coding agent its own past back, at session start and on the first prompt."""

__version__ = "0.1.0"
