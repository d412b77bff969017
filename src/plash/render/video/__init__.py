"""PNG pictures, movies, animations and contact sheets."""
