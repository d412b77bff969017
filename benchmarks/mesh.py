"""How fast surfaces are made: marching cubes against scikit-image's, and the dam break's surface frame by frame.

    python -m benchmarks.mesh [--resolution 64] [--every 10]

Needs scikit-image for the comparison. Figures are the least of several repeats; both sides of a ratio take turns. The
clock of the processor is shown beside that on the wall: on a busy machine it is the one to trust.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import plash
from plash.mesh.marching import field_of_array, march, mesh_of_array
from plash.mesh.mesh import Mesh
from plash.mesh.reconstruct import liquid_surface

REPEATS = 5


def least(runs: list[Callable[[], object]], repeats: int = REPEATS) -> list[tuple[float, float]]:
    """Least seconds of each run, on the wall and of the processor; they take turns, after one round that compiles."""
    found = [(np.inf, np.inf)] * len(runs)
    for turn in range(repeats + 1):
        for number, run in enumerate(runs):
            wall, processor = time.perf_counter(), time.process_time()
            run()
            took = time.perf_counter() - wall, time.process_time() - processor
            if turn > 0:
                found[number] = min(found[number][0], took[0]), min(found[number][1], took[1])
    return found


def blobs(n: int, count: int) -> np.ndarray:
    """A field with balls of all sizes, or with a single large one: distance to the nearest, in spacings."""
    rng = np.random.default_rng(7)
    z, y, x = np.mgrid[0:n, 0:n, 0:n].astype(np.float32)
    nearest = np.full((n, n, n), np.inf, np.float32)
    for _ in range(count):
        r = (rng.uniform(0.02, 0.15) if count > 1 else 0.4) * n
        cx, cy, cz = rng.uniform(r + 2, n - r - 3, 3)
        nearest = np.minimum(nearest, np.sqrt((x - cx) ** 2 + (y - cy) ** 2 + (z - cz) ** 2) - np.float32(r))
    return nearest


def compare_marching(balls: int, n: int = 128) -> None:
    try:
        from skimage.measure import marching_cubes
    except ImportError:
        raise SystemExit("the comparison needs scikit-image: pip install scikit-image") from None

    values = blobs(n, balls)
    field = field_of_array(values)
    runs = [lambda: march(field), lambda: mesh_of_array(values, 1.0), lambda: marching_cubes(values, 0.0)]
    tiles, whole, theirs = least(runs)
    mesh = mesh_of_array(values, 1.0)
    vertices, faces, _, _ = marching_cubes(values, 0.0)
    other = Mesh(np.ascontiguousarray(vertices[:, ::-1], np.float32), faces.astype(np.int32))
    print(f"marching cubes on {n}^3, {balls} ball(s), {len(mesh.faces)} triangles (scikit-image: {len(faces)})")
    print(f"  plash, tiles          {1e3 * tiles[0]:7.1f} ms   processor {1e3 * tiles[1]:7.1f} ms")
    print(f"  plash, plain array    {1e3 * whole[0]:7.1f} ms   processor {1e3 * whole[1]:7.1f} ms")
    print(f"  scikit-image          {1e3 * theirs[0]:7.1f} ms   processor {1e3 * theirs[1]:7.1f} ms")
    print(f"  times faster: tiles {theirs[0] / tiles[0]:.1f}, plain array {theirs[0] / whole[0]:.1f}")
    print(f"  volume {mesh.volume:.2f} against {abs(other.volume):.2f}: {mesh.volume / abs(other.volume) - 1:+.1e}")


def time_surfaces(resolution: int, every: int) -> None:
    scene = plash.load_scene("bench_dam_break")
    domain = scene.domain.model_copy(update={"resolution": resolution})
    scene = scene.model_copy(update={"domain": domain})
    print(f"surface of the dam break, {resolution}^3, detail {scene.mesh.detail}")
    print("  frame   wall    processor   triangles   mesh/particles - 1   mesh/ledger - 1")
    walls = []
    for frame in plash.simulate(scene):
        if (frame.number - 1) % every:
            continue
        seen = frame.particles
        arguments = (seen.position, seen.velocity, seen.volume, domain.h, scene.mesh, domain, scene.solid)
        ((wall, processor),) = least([lambda: liquid_surface(*arguments)])  # noqa: B023
        mesh = liquid_surface(*arguments)
        ratios = mesh.volume / seen.volume.sum() - 1, mesh.volume / frame.ledger.volume - 1
        print(
            f"  {frame.number:5d}  {wall:5.3f} s   {processor:5.3f} s   {len(mesh.faces):9d}"
            f"   {ratios[0]:+18.4f}   {ratios[1]:+15.4f}",
            flush=True,
        )
        walls.append(wall)
    print(f"  mean {np.mean(walls):.3f} s a frame")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resolution", type=int, default=64)
    parser.add_argument("--every", type=int, default=10)
    options = parser.parse_args()
    compare_marching(balls=1)
    compare_marching(balls=40)
    time_surfaces(options.resolution, options.every)


if __name__ == "__main__":
    main()
