"""What all tests share: a cache of the session's own, hypothesis profiles, the count of references."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from hypothesis import HealthCheck, settings

from opweld import config

settings.register_profile("quick", max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("quick"), max_examples=300, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "quick"))


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_session(tmp_path_factory):
    """Modules are built into a fresh folder, here and in the processes that tests start; the user's is not touched."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        kept, config.compiledir = config.compiledir, str(folder / "opweld")
        yield folder / "opweld"
        config.compiledir = kept


@pytest.fixture
def references():
    """``references(*objects)``: their counts, less what the question itself holds."""

    def count(*objects):
        gc.collect()
        return [sys.getrefcount(item) for item in objects]

    return count
