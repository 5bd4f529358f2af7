"""The regression gate: a run against a baseline, without crying wolf."""
