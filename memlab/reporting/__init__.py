"""The report of a run: one HTML file, or Markdown and LaTeX tables."""
