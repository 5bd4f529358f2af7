"""Judging what a memory returned against what was said: claims, leaks, answers."""
