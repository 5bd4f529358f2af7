"""Records as arrays, so that every metric is a few vectorised lines."""
