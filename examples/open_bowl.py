"""A bowl of squares without thickness, as modelling programs have it: `thickness` makes it a wall, `repair` a lump."""

import tempfile
from pathlib import Path

import numpy as np

import plash

AROUND, DOWN = 48, 12


def bowl_text() -> str:
    """The lower half of a ball of radius 1, open at the top: a PLY file of squares and one polygon at the bottom."""
    rows = []
    for slope in np.linspace(0.1, 0.5 * np.pi, DOWN):
        for turn in 2 * np.pi * np.arange(AROUND) / AROUND:
            rows.append((np.sin(slope) * np.cos(turn), -np.cos(slope), np.sin(slope) * np.sin(turn)))
    faces = [list(range(AROUND))]
    for down in range(DOWN - 1):
        for k in range(AROUND):
            a, b = AROUND * down + k, AROUND * down + (k + 1) % AROUND
            faces.append([a, a + AROUND, b + AROUND, b])
    head = ["ply", "format ascii 1.0", f"element vertex {len(rows)}", *(f"property float {axis}" for axis in "xyz")]
    head += [f"element face {len(faces)}", "property list uchar uint vertex_indices", "end_header"]
    vertices = [f"{x:.6f} {y:.6f} {z:.6f}" for x, y, z in rows]
    return "\n".join([*head, *vertices, *(f"{len(face)} {' '.join(map(str, face))}" for face in faces)]) + "\n"


with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "bowl.ply")
    file.write_text(bowl_text())
    bowls = {
        "thickness": plash.MeshShape(file=file, scale=0.08, thickness="4 mm", translation=("10 cm", "10 cm", "10 cm")),
        "repair": plash.MeshShape(file=file, scale=0.08, repair=True, translation=("10 cm", "10 cm", "10 cm")),
    }
    for name, bowl in bowls.items():
        scene = plash.Scene(
            domain={"size": ("20 cm", "20 cm", "20 cm"), "resolution": 28},
            time={"fps": 24, "frames": 9},
            fill=[plash.Fill(shape=plash.Sphere(center=(0.1, 0.14, 0.1), radius="3 cm"), velocity=(0, "-1 m/s", 0))],
            solid=[plash.Solid(name="bowl", shape=bowl)],
        )
        for frame in plash.simulate(scene):
            place = frame.particles.position - (0.1, 0.1, 0.1)
            inside = (np.linalg.norm(place, axis=1) < 0.08) & (place[:, 1] < 0)
            print(f"{name:>9} frame {frame.number}: {inside.mean():4.0%} of the water is in the bowl")
