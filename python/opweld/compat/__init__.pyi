# What __init__.py has; the trees of modules are made when it is imported.

from types import ModuleType

from opweld.compat import aesara as aesara
from opweld.compat import pytensor as pytensor
from opweld.compat import theano as theano
from opweld.compat.table import TREES

__all__ = ["TREES", "install", "uninstall"]

def install(name: str) -> ModuleType: ...
def uninstall(name: str) -> None: ...
