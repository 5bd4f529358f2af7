"""Downloading data sets on consent: lists, resuming, verifying."""
