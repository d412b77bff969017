"""Heat in a liquid with a free surface: conduction, walls that are warm, sources of heat, buoyancy."""
