"""From triangles to pictures: a preview renderer on the processor, PNG pictures and H.264 movies."""
