"""Where memlab keeps what can be made or fetched again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the cache folder: MEMLAB_CACHE, or `memlab` in the user's own cache folder."""
    folder = os.environ.get("MEMLAB_CACHE")
    if not folder:
        from platformdirs import user_cache_dir

        folder = user_cache_dir("memlab", appauthor=False)
    return Path(folder)
