"""What a frame of smoke shows: fields on the tiles that hold any, in units for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plash.grid.dense import to_dense
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
from plash.solvers.frame import FrameGrids, FrameParticles, Points, between_centres
from plash.solvers.limits import FASTEST, are_tiles, fastest
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
        velocity: Of the air at the centres of cells [axis, slot, z, y, x], m/s; NaN in absent tiles, and everywhere in
            files of an earlier plash.
        pressure: Of the last step [slot, z, y, x], Pa; NaN in absent tiles, and before the first step.
        faces: The velocity on faces, m/s, also far from smoke; None if the frame was read from a file.
        poses: Where solids that move are, by name.
    """

    shown: Volume
    velocity: Pool
    pressure: Pool
    faces: FaceField | None = None
    poses: Poses = field(default_factory=dict)

    @staticmethod
    def of(
        tiles: Tiles,
        pools: Mapping[str, Pool],
        faces: FaceField,
        pressure: CellField | None,
        h: float,
        poses: Poses = MappingProxyType({}),
    ) -> FrameSmoke:
        """A copy of the fields on the tiles in which one differs from its background."""
        differs = np.zeros(tiles.count + 1, np.bool_)
        for pool in pools.values():
            differs |= (pool != pool[0, 0, 0, 0]).any(axis=(1, 2, 3))
        some = Tiles.of_keys(tiles.keys[differs[1:]], tiles.dimension)
        kept = {name: CellField(tiles, pool).moved_to(some).pool for name, pool in pools.items()}
        velocity, shown_pressure = _unknown(some)
        velocity[:, 1:] = velocity_at(faces, some.cell_centres(some.slots, h), h).T.reshape(velocity[:, 1:].shape)
        if pressure is not None:
            single = CellField(pressure.tiles, pressure.pool.astype(np.float32))
            shown_pressure[1:] = single.moved_to(some).pool[1:]
        return FrameSmoke(Volume(some, kept, h), velocity, shown_pressure, faces.copy(), poses)

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
        velocity, pressure = _unknown(tiles)
        if "velocity" in arrays:
            most = fastest(scene)
            velocity[:, 1:] = arrays.take("velocity", np.float32, (d, tiles.count, *tiles.shape), -most, most)
        if "pressure" in arrays:
            pressure[1:] = arrays.take("pressure", np.float32, (tiles.count, *tiles.shape))
        time = float(arrays.take("time", np.float64, ()))
        poses = poses_from(arrays, scene.poses_at(time))
        return FrameSmoke(Volume(tiles, pools, h), velocity, pressure, poses=poses)

    def samples(self) -> Samples:
        """The centres of cells with smoke in them."""
        tiles, h = self.shown.tiles, self.shown.h
        return samples_of_tiles(tiles, self.shown.density * np.float32(h**tiles.dimension), self.velocity, h)

    def as_volume(self) -> Volume:
        """The fields themselves."""
        return self.shown

    def energy(self, rho: float, gravity: tuple[float, ...]) -> dict[str, float]:
        """Energy where there is smoke, J (in 2-D J/m): that of the air, ρ/2 Σ V |u|², and of smoke, -Σ m g·x."""
        tiles, h = self.shown.tiles, self.shown.h
        centres = tiles.cell_centres(tiles.slots, h)
        mass = self.shown.density[1:].reshape(-1).astype(np.float64) * h**tiles.dimension
        squared = np.square(self.velocity[:, 1:], dtype=np.float64)
        potential = -float((mass * np.einsum("ij,j->i", centres, gravity)).sum())
        return {"kinetic": float(rho / 2 * squared.sum()) * h**tiles.dimension, "potential": potential}

    def velocity_at(self, points: Points) -> Points:
        """Velocity (n, axes) of the air in m/s at points (n, axes) in metres; that of the wind far from smoke.

        In a frame that was read from a file it is found between centres of cells, and is NaN far from smoke.
        """
        h = self.shown.h
        if self.faces is not None:
            return velocity_at(self.faces, points, h)
        return between_centres(self.velocity, self.shown.tiles, points, h)

    def arrays(self) -> ArraysByName:
        """What stands in the file of a frame: tile coordinates (x, y, z), a block of each field for a tile, poses.

        Velocities are at the centres of cells, [axis, tile, z, y, x].
        """
        tiles = self.shown.tiles
        pools = {name: pool[1:] for name, pool in self.shown.pools.items()}
        if tiles.count == 0 or np.isfinite(self.velocity[0, 1:]).all():
            pools["velocity"] = self.velocity[:, 1:]
        if tiles.count == 0 or np.isfinite(self.pressure[1:]).all():
            pools["pressure"] = self.pressure[1:]
        return {"tiles": tiles.coordinates[1:], **pools, **pose_arrays(self.poses)}

    def sparse_grids(self, scene: Scene, time: float) -> list[SparseGrid]:
        """The fields and the velocity (m/s) as sparse grids for other programs."""
        shown, pools = self.shown, dict(self.shown.pools)
        if np.isfinite(self.velocity[0, 1:]).all():
            pools["velocity"] = np.ascontiguousarray(np.moveaxis(self.velocity, 0, -1))
        return volume_grids(Volume(shown.tiles, pools, shown.h))

    def cell_velocity(self, domain: Domain) -> NDArray[np.float32]:
        """Velocity (m/s) of the air at the centres of cells [axis, [z,] y, x]; NaN where no smoke is near."""
        return np.stack([self._dense(pool, domain) for pool in self.velocity])

    def cell_pressure(self, domain: Domain) -> NDArray[np.float32]:
        """Pressure (Pa) of the last step in all cells [[z,] y, x]; NaN where no smoke is near."""
        return self._dense(self.pressure, domain)

    def _dense(self, pool: Pool, domain: Domain) -> Pool:
        return to_dense(pool, self.shown.tiles, (0,) * len(domain.cells), domain.cells).T

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


def _unknown(tiles: Tiles) -> tuple[Pool, Pool]:
    """A velocity and a pressure that are not known anywhere."""
    pool = np.full((tiles.count + 1, *tiles.shape), np.nan, np.float32)
    return np.stack([pool] * tiles.dimension), pool
