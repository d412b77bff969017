"""From liquid to triangles: marching cubes, normals, smoothing, and the surface of particles."""
