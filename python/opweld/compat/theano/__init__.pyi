# The top of the tree; its modules are Any, by __getattr__.

from typing import Any

from opweld import In as In
from opweld import Out as Out
from opweld import function as function
from opweld import shared as shared
from opweld.compat.bases import OpenMPOp as OpenMPOp
from opweld.compat.asop import as_op as as_op
from opweld.compat.bases import grad as grad
from opweld.compat.classic import Op as Op
from opweld.compat.classic import Type as Type
from opweld.compat.settings import change_flags as change_flags
from opweld.compat.settings import config as config
from opweld.compat.values import _asarray as _asarray
from opweld.tensor import dot as dot
from opweld.compat.modes import Mode as Mode
from opweld.graph.basic import Apply as Apply
from opweld.graph.basic import Constant as Constant
from opweld.graph.basic import Variable as Variable

clone: Any
get_scalar_constant_value: Any

def __getattr__(name: str) -> Any: ...
