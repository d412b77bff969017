"""Solving A x = b on tiles, knowing no fluids."""
