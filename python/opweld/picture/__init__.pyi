# Names of __init__.py, which finds them on first use; written by `make stubs`.
from opweld.picture.show import Picture as Picture, picture as picture

__all__ = [
    "Picture", "picture",
]  # fmt: skip
