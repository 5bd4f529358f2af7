"""Loaders of data sets: each returns a `Dataset` with its card and its defects."""
