"""Files of frames made beside the simulation, in processes of their own."""
