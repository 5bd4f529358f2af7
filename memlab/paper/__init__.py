"""What a paper needs of a run: an archive that reviewers can check, methods and tables."""
