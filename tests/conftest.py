"""Shared settings of the tests: offline models, the place of measuring data, hypothesis."""

import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile(
    "memlab", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("memlab")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Keep the tests' vectors out of the user's cache, and share them between tests."""
    base = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("MEMLAB_CACHE", str(base))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of measuring data; the test is skipped where it is absent."""
    folder = Path(os.environ.get("MEMLAB_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("measuring data are not at hand (set MEMLAB_DATA to their folder)")
    return folder


@pytest.fixture(scope="session")
def locomo_path(data) -> Path:
    """The LoCoMo file."""
    path = data / "locomo" / "locomo10.json"
    if not path.is_file():
        pytest.skip("locomo10.json is not at hand")
    return path
