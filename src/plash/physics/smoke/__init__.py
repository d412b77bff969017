"""The terms of smoke on tiles: where air is followed, advection, buoyancy, confinement, wind, sources and fire."""
