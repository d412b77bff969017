"""Triangle meshes from files: PLY, OBJ, STL, glTF; repaired and checked."""
