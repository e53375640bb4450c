"""pytest's door to ``opweld check`` (docs/check.md): a fixture and a marker. Unused, it imports nothing of opweld."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from opweld.checking.testing import Checker

__all__ = ["opweld_check", "pytest_configure", "pytest_runtest_call"]

_MARKER = "opweld_check"
_USED = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    """Say what the marker is."""
    said = "check each opweld function that the test makes, as `opweld check` does (docs/check.md)"
    config.addinivalue_line("markers", f"{_MARKER}(only='', examples=40, seconds=60.0): {said}")


@pytest.fixture
def opweld_check(request: pytest.FixtureRequest) -> Checker:
    """Check ops, functions, graphs and short forms, or what ``opweld check`` takes; fail with them."""
    request.node.stash[_USED] = True
    return _checker(request.node)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Have the functions of a test that is marked remember their calls, and check them when it has passed."""
    if item.get_closest_marker(_MARKER) is None:
        return (yield)
    checker = _checker(item)
    with checker.recording():
        result = yield
    checker.check_recorded(item.stash.get(_USED, False))
    return result


def _checker(item: Any) -> Checker:
    """What checks, as the marker says."""
    from opweld.checking.testing import Checker

    marker = item.get_closest_marker(_MARKER)
    if marker is not None and marker.args:
        raise pytest.UsageError(f"the marker {_MARKER} takes only=, examples= and seconds=, and nothing else")
    return Checker(item.user_properties, **(marker.kwargs if marker else {}))
