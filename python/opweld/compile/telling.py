"""What is said of what was built or measured, where there is something to say: one room, loaded late."""

from __future__ import annotations

from opweld.compile.account import Account
from opweld.compile.crashes import watch
from opweld.compile.explain import refused, undone, unloadable
from opweld.compile.findings import say, warn_of
from opweld.compile.profile import Profile
from opweld.compile.written import lines_of

__all__ = ["Account", "Profile", "lines_of", "refused", "say", "undone", "unloadable", "warn_of", "watch"]
