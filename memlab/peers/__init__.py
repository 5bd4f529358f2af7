"""Memories and indexes of other projects, for speed comparisons on the same texts."""
