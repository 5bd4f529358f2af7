"""Make the examiner importable by its own name, as experiments/synthetic_check.py does."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
