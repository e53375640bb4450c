"""Ten C ops as legacy code bases hold them: the manner of Theano, Aesara and PyTensor, left as it was, one file an op.

Each has a ``perform`` that is its reference. Only the line that says where the package comes from is new.
"""
