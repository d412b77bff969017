"""One file per term of the equations."""
