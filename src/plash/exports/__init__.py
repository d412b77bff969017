"""What other programs read: a frame as USD, VDB, PLY, OBJ, GLB, NPZ or VTK, as the bytes of a file."""
