"""What a frame of smoke shows: fields on the tiles that hold any, in units for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plash.grid.fields import CellField, FaceField
from plash.grid.sample import velocity_at
from plash.grid.sparse_grid import SparseGrid, volume_grids
from plash.grid.tiles import Tiles, pack
from plash.grid.volume import COLORS, Volume
from plash.particles.particles import Particles
from plash.physics.solids.rigid_motion import Poses
from plash.scene.colors import light_of
from plash.scene.domain import Domain
from plash.scene.model import Scene
from plash.solvers.frame import FrameGrids, FrameParticles, Points, nowhere
from plash.solvers.limits import FASTEST, are_tiles
from plash.solvers.poses import pose_arrays, poses_from
from plash.solvers.samples import Samples, samples_of_tiles
from plash.solvers.stored import ArraysByName, StoredArrays

if TYPE_CHECKING:
    from plash.mesh.mesh import Mesh

Pool = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FrameSmoke:
    """The smoke of a frame.

    Attributes:
        shown: Density (kg/m³), and temperature (K), flame (0 to 1) and colours (0 to 1) where the scene has them.
        velocity: Of the air on faces, m/s; None if it was read from a file, which does not hold it.
        poses: Where solids that move are, by name.
    """

    shown: Volume
    velocity: FaceField | None = None
    poses: Poses = field(default_factory=dict)

    @staticmethod
    def of(
        tiles: Tiles, pools: Mapping[str, Pool], velocity: FaceField, h: float, poses: Poses = MappingProxyType({})
    ) -> FrameSmoke:
        """A copy of the fields on the tiles in which one differs from its background."""
        differs = np.zeros(tiles.count + 1, np.bool_)
        for pool in pools.values():
            differs |= (pool != pool[0, 0, 0, 0]).any(axis=(1, 2, 3))
        some = Tiles.of_keys(tiles.keys[differs[1:]], tiles.dimension)
        kept = {name: CellField(tiles, pool).moved_to(some).pool for name, pool in pools.items()}
        return FrameSmoke(Volume(some, kept, h), velocity.copy(), poses)

    @staticmethod
    def read(arrays: StoredArrays, scene: Scene) -> FrameSmoke:
        """The smoke in the file of a frame.

        Raises:
            DamagedError: It cannot be smoke of this scene.
        """
        d, h = scene.dimension, scene.domain.h
        coordinates = arrays.take("tiles", np.int32, (None, 3))
        keys = (
            pack(coordinates.astype(np.int64)) if np.abs(coordinates, dtype=np.int64).max(initial=0) < 1 << 20 else None
        )
        if keys is None or not are_tiles(keys, d):
            raise arrays.damaged("'tiles' is no table of tiles")
        tiles = Tiles.of_keys(keys, d)
        air = scene.liquid.temperature
        backgrounds = {"density": 0.0, "temperature": air, "flame": 0.0}
        if scene.smoke_colors:
            backgrounds |= dict(zip(COLORS, light_of(scene.smoke_colors[0]), strict=True))
        pools = {}
        for name, background in backgrounds.items():
            if name == "density" or name in arrays or name in COLORS:
                pool = np.full((tiles.count + 1, *tiles.shape), background, np.float32)
                pool[1:] = arrays.take(name, np.float32, (tiles.count, *tiles.shape), -FASTEST, FASTEST)
                pools[name] = pool
        time = float(arrays.take("time", np.float64, ()))
        return FrameSmoke(Volume(tiles, pools, h), poses=poses_from(arrays, scene.poses_at(time)))

    def samples(self) -> Samples:
        """The centres of cells with smoke in them."""
        tiles, h = self.shown.tiles, self.shown.h
        found = samples_of_tiles(tiles, self.shown.density * np.float32(h**tiles.dimension), None, h)
        if self.velocity is None:
            return found
        return found._replace(velocity=velocity_at(self.velocity, found.position, h))

    def as_volume(self) -> Volume:
        """The fields themselves."""
        return self.shown

    def energy(self, rho: float, gravity: tuple[float, ...]) -> dict[str, float]:
        """Energy where there is smoke, J (in 2-D J/m): that of the air, ρ/2 Σ V |u|², and of smoke, -Σ m g·x."""
        tiles, h = self.shown.tiles, self.shown.h
        centres = tiles.cell_centres(tiles.slots, h)
        speed = nowhere(centres) if self.velocity is None else velocity_at(self.velocity, centres, h)
        mass = self.shown.density[1:].reshape(-1).astype(np.float64) * h**tiles.dimension
        squared = np.einsum("ij,ij->i", speed, speed)
        potential = -float((mass * np.einsum("ij,j->i", centres, gravity)).sum())
        return {"kinetic": float(rho / 2 * squared.sum()) * h**tiles.dimension, "potential": potential}

    def velocity_at(self, points: Points) -> Points:
        """Velocity (n, axes) of the air in m/s at points (n, axes) in metres; that of the wind far from smoke."""
        return nowhere(points) if self.velocity is None else velocity_at(self.velocity, points, self.shown.h)

    def arrays(self) -> ArraysByName:
        """What stands in the file of a frame: tile coordinates (x, y, z), a block of each field for a tile, poses."""
        tiles = self.shown.tiles
        pools = {name: pool[1:] for name, pool in self.shown.pools.items()}
        return {"tiles": tiles.coordinates[1:], **pools, **pose_arrays(self.poses)}

    def sparse_grids(self, scene: Scene, time: float) -> list[SparseGrid]:
        """The fields as sparse grids for other programs."""
        return volume_grids(self.shown)

    def cell_velocity(self, domain: Domain) -> NDArray[np.float32]:
        """Velocity (m/s) of the air at the centres of cells [axis, [z,] y, x]; NaN if it was read from a file."""
        box = domain.cells[::-1]
        places = np.stack(np.meshgrid(*[np.arange(n) + 0.5 for n in box], indexing="ij")[::-1], axis=-1) * domain.h
        found = self.velocity_at(places.reshape(-1, len(box))).T.reshape(len(box), *box)
        return found.astype(np.float32)

    def surface(self, scene: Scene, time: float) -> Mesh:
        """Smoke has none."""
        from plash.mesh.mesh import Mesh

        return Mesh.empty()

    def dots(self) -> FrameParticles:
        """No particles."""
        return FrameParticles.of(Particles(self.shown.tiles.dimension), self.shown.h)

    def as_particles(self) -> FrameParticles:
        """There are none."""
        raise AttributeError("smoke has no particles: it is where frame.volume.density is")

    def as_grids(self) -> FrameGrids:
        """There are none."""
        raise AttributeError("smoke has no grid of its whole box: it is in the tiles of frame.volume")
