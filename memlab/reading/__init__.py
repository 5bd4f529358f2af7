"""Reading published and own data files: JSON, lines, cards, references, defects."""
