"""What will go wrong with a scene, and what it will cost, before it is simulated."""
