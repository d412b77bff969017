"""What the user asks for: the scene, typed and checked; no numerics."""
