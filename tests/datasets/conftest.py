import json
import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def locomo_file() -> Path:
    """The real file, where there is one."""
    beside = Path(__file__).resolve().parents[2] / "../shared/data"
    path = Path(os.environ.get("MEMLAB_DATA", beside)) / "locomo" / "locomo10.json"
    if not path.is_file():
        pytest.skip(
            "LoCoMo is not here: set MEMLAB_DATA to the folder that has locomo/locomo10.json"
        )
    return path


@pytest.fixture
def write(tmp_path):
    """Write lines (objects, text or bytes) to a file and return its path."""

    def made(*lines, name="data.jsonl"):
        raw = [
            line
            if isinstance(line, bytes)
            else (line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)).encode()
            for line in lines
        ]
        path = tmp_path / name
        path.write_bytes(b"".join(r + b"\n" for r in raw))
        return path

    return made
