"""Thin sheets of liquid by the detail of their surface: holes, loose pieces, and the volume that is drawn.

A sheet lies level in open space, half a cell or a cell thick, of jittered particles of two along the edge of a cell.
A hole is a handle of its surface. `python -m benchmarks.sheets`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.mesh.mesh import Mesh
from plash.mesh.reconstruct import liquid_surface
from plash.mesh.topology import parts_of
from plash.scene import Domain, Meshing

_H = 0.05
_SIZE = (2.0, 0.4, 1.6)
_JITTERS = (0.3, 0.6, 0.9)


class Sheet(NamedTuple):
    """What became of a sheet: holes in it, pieces it is in, and its volume over that of its particles."""

    holes: int
    pieces: int
    volume: float


def particles_of_sheet(thickness: float, jitter: float, seed: int = 3) -> NDArray[np.float64]:
    """Places of particles in a level sheet, so many cells thick; jitter is in parts of their spacing."""
    count = (int(1.6 / (_H / 2)), max(1, round(2 * thickness)), int(1.2 / (_H / 2)))
    index = np.stack(np.meshgrid(*[np.arange(n) for n in count], indexing="ij"), axis=-1).reshape(-1, 3)
    shift = np.random.default_rng(seed).uniform(-0.5, 0.5, index.shape) * jitter
    places: NDArray[np.float64] = np.array([0.2, 0.21, 0.2]) + (index + 0.5 + shift) * (_H / 2)
    return places


def drawn_sheet(places: NDArray[np.float64], detail: int) -> Mesh:
    """The surface of such a sheet."""
    volume = np.full(len(places), (_H / 2) ** 3)
    velocity = np.zeros(places.shape, np.float32)
    return liquid_surface(places, velocity, volume, _H, Meshing(detail=detail), Domain(size=_SIZE, cell_size=_H), ())


def sheet_of(mesh: Mesh, count: int) -> Sheet:
    """Holes, pieces and volume of a surface of so many particles."""
    pieces = int(parts_of(mesh.faces, len(mesh.vertices)).max()) + 1
    return Sheet(pieces - mesh.euler_number // 2, pieces, mesh.volume / (count * (_H / 2) ** 3))


def cases() -> Iterator[tuple[float, float]]:
    """Thickness in cells, and jitter."""
    for thickness in (0.5, 1.0):
        for jitter in _JITTERS:
            yield thickness, jitter


def main() -> None:
    """Print a table."""
    print("| thickness, cells | jitter | detail | holes | pieces | volume |")
    print("| --- | --- | --- | --- | --- | --- |")
    for thickness, jitter in cases():
        places = particles_of_sheet(thickness, jitter)
        for detail in (2, 3, 4):
            found = sheet_of(drawn_sheet(places, detail), len(places))
            print(f"| {thickness} | {jitter} | {detail} | {found.holes} | {found.pieces} | {found.volume:.3f} |")


if __name__ == "__main__":
    main()
