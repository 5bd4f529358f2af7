"""The hypothesis board: claims on memory, the workloads that test them, and what came out."""
