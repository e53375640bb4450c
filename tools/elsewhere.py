"""Write python/opweld/tensor/elsewhere.py from the tables of docs/numpy.md: what is said of names that are not here."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "numpy.md"
MODULE = ROOT / "python" / "opweld" / "tensor" / "elsewhere.py"
HEAD = '''"""What is written for NumPy's functions that are not here: tools/elsewhere.py makes this of docs/numpy.md."""

from __future__ import annotations

__all__ = ["INSTEAD"]

_TABLE = r"""
'''
TAIL = '''"""
# Names of NumPy's, and what is written for them.
INSTEAD = tuple([tuple(line.split(" | ", 1)) for line in _TABLE.strip().split("\\n")])
'''


def text() -> str:
    """Give what the module holds."""
    rows = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## Methods"):
            break
        if not line.startswith("| `"):
            continue
        names, here, word = line.strip("|").split(" | ", 2)
        if here.strip() == "no":
            called = " ".join(name.partition("(")[0] for name in re.findall(r"`([^`]+)`", names))
            plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"docs/\1", word.strip().rstrip("|").strip())
            rows.append(f"{called} | {plain.replace('`', '')}\n")
    return HEAD + "".join(rows) + TAIL


if __name__ == "__main__":
    MODULE.write_text(text(), encoding="utf-8")
