"""How fast each format is written, on one core, to a folder of the machine's disk.

    python -m benchmarks.exports

A surface of about a million triangles with normals, velocity and age, in the order in which surfaces of liquids are
made; 16 million voxels of smoke. Prints the size of the file, the seconds of the processor to make its bytes and to
write them, and megabytes a second of both together: of the file, and of the numbers in it as they are in memory, since
USD, zip and Blosc pack them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from plash.errors import MissingPartError
from plash.exports.gltf import glb_bytes
from plash.exports.materials import gltf_material, liquid_surface_look
from plash.exports.obj import obj_bytes
from plash.exports.ply import export_ply_bytes
from plash.exports.usd_frame import load_usd, usd_frame_bytes
from plash.exports.vdb import vdb_file
from plash.exports.vdb_packing import PLAIN, ZIPPED, packing
from plash.exports.vtk import vtp_surface_bytes
from plash.files.atomic import write_bytes
from plash.grid.dense import tiles_over
from plash.grid.sparse_grid import volume_grids
from plash.grid.volume import Volume
from plash.mesh.marching import mesh_of_array
from plash.mesh.mesh import Mesh
from plash.pipeline.stages.export_usd import liquid_colors
from plash.render.moment import no_particles
from plash.scene import load_scene

SIDE = 150  # samples along a side of the field that the surface is found in
CELLS = 256


def winding() -> Mesh:
    """A gyroid of about a million triangles, in the order that marching cubes gives them; no two numbers are alike."""
    x = np.linspace(0, 8 * np.pi, SIDE, dtype=np.float32)
    sine, cosine = np.sin(x), np.cos(x)
    along = [sine[:, None] * cosine, sine[:, None] * cosine, cosine[:, None] * sine]
    values = along[0][:, :, None] + along[1][None, :, :] + along[2][:, None, :]
    places = mesh_of_array(values, 1 / SIDE)
    at = places.vertices
    velocity = np.stack([np.sin(7 * at[:, 1]), np.cos(9 * at[:, 2]), at[:, 0] * at[:, 1]], axis=1)
    normals = velocity / np.sqrt((velocity**2).sum(axis=1))[:, None]
    return Mesh(at, places.faces, normals, velocity, scalars={"age": (at**2).sum(axis=1)})


def smoke() -> Volume:
    """16 million voxels, none of them empty."""
    tiles = tiles_over((0, 0, 0), (CELLS,) * 3)
    x, y, z = tiles.cell_centres(tiles.slots, 1 / CELLS).astype(np.float32).T
    density = np.zeros((tiles.count + 1, *tiles.shape), np.float32)
    density[1:].reshape(-1)[:] = np.exp(-8 * (x - 0.5) ** 2 - y) * (1.2 + np.sin(30 * z))
    return Volume(tiles, {"density": density}, 1 / CELLS)


def measured(name: str, make: Callable[[], bytes], numbers: int, folder: Path) -> str:
    start = time.process_time()
    data = make()
    made = time.process_time()
    write_bytes(folder / "file", data)
    end = time.process_time()
    speed, of_numbers = (size / (end - start) / 1e6 for size in (len(data), numbers))
    times = f"{made - start:7.2f} s {end - made:7.2f} s"
    return f"{name:16}{len(data) / 1e6:8.1f} MB {times} {speed:8.0f} MB/s {of_numbers:8.0f} MB/s"


def numbers_of(mesh: Mesh, words: list[str]) -> int:
    """Bytes of some arrays of a mesh."""
    arrays = {"faces": mesh.faces, "vertices": mesh.vertices, "normals": mesh.normals, "velocity": mesh.velocity}
    every = {**arrays, **mesh.scalars, "color": mesh.velocity}
    return sum(values.nbytes for word in words if (values := every[word]) is not None)


def main() -> None:
    mesh, scene = winding(), load_scene("dam_break")
    material = gltf_material(liquid_surface_look(scene))
    makers: dict[str, Callable[[], bytes]] = {
        "ply": lambda: export_ply_bytes(mesh, "z"),
        "obj": lambda: obj_bytes(mesh, "surface", "y"),
        "glb": lambda: glb_bytes(mesh, "surface", material),
        "vtk": lambda: vtp_surface_bytes(mesh, 0.0, "y"),
    }
    try:
        pxr = load_usd()
    except MissingPartError as error:
        print(error)
    else:
        makers["usd"] = lambda: usd_frame_bytes(pxr, mesh, no_particles(3), 1, liquid_colors(scene))
    grids, packings = volume_grids(smoke()), {"": PLAIN, " zip": ZIPPED}
    try:
        packings[" blosc"] = packing("blosc")
    except MissingPartError as error:
        print(error)
    for half in (False, True):
        for name, packed in packings.items():
            made = partial(vdb_file, grids, "y", half, packed)
            makers[f"vdb{' half' if half else ''}{name}"] = made
    shape = ["faces", "vertices", "normals"]
    moving = [*shape, "velocity", "age"]
    held = {"obj": numbers_of(mesh, shape), "usd": numbers_of(mesh, [*moving, "color"])}
    held |= {name: 4 * CELLS**3 for name in makers if name.startswith("vdb")}
    print(f"{'format':16}{'size':>11}{'make':>9}{'write':>9}{'file':>14}{'numbers':>14}")
    with TemporaryDirectory(prefix="plash") as folder:
        for name, make in makers.items():
            print(measured(name, make, held.get(name, numbers_of(mesh, moving)), Path(folder)), flush=True)


if __name__ == "__main__":
    main()
