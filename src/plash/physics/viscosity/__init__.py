"""Viscosity (Cline step 3c and section 7): how momentum spreads inside the liquid, in three schemes."""
