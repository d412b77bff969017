"""Simulations with known answers. `python -m validation` runs them at full size and rewrites docs/validation.md."""
