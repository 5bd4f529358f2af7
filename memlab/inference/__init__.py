"""Statistics of paired differences in clusters: tests, intervals, effects, power."""
