"""What PyTensor's tests import of each other, for those that the source distribution holds."""
