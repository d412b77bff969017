"""How many particles lie deep in the liquid, where fewer of them would do.

    python -m benchmarks.deep_particles --cells 64

It tells no time: the machine may be busy.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import ndimage

import plash

FRAMES = (1, 6, 12, 18, 25)
DEPTHS = (2, 4, 6)


def shares(positions: np.ndarray, h: float, cells: tuple[int, ...]) -> list[float]:
    """Share of particles with more than so many full cells between them and air in every direction; walls are none."""
    cell = tuple(np.clip((positions / h).astype(np.int64), 0, np.array(cells) - 1).T)
    is_full = np.zeros(cells, np.bool_)
    is_full[cell] = True
    is_full = np.pad(is_full, 1, constant_values=True)
    deep = ndimage.distance_transform_cdt(is_full, "chessboard")[(slice(1, -1),) * len(cells)][cell]
    return [float(np.mean(deep > depth)) for depth in DEPTHS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=64)
    scene = plash.load_scene("bench_dam_break", resolution=parser.parse_args().cells, frames=max(FRAMES))
    print("frame", *(f">{depth} cells" for depth in DEPTHS))
    for number, frame in enumerate(plash.simulate(scene), 1):
        if number in FRAMES:
            found = shares(frame.particles.position, scene.domain.h, scene.domain.cells)
            print(f"{number:5}", *(f"{share:.2f}" for share in found), flush=True)


if __name__ == "__main__":
    main()
