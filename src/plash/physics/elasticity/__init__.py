"""Elasticity (Cline section 8): strain that builds up as liquid moves, its force, and how it yields."""
