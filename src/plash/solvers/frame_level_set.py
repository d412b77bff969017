"""What a frame shows of a liquid whose surface is a level set: φ and the velocity near the liquid, on tiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plash.carried import TEMPERATURE
from plash.grid.dense import to_dense
from plash.grid.fields import CellField
from plash.grid.sparse_grid import BAND, GridKind, SparseGrid
from plash.grid.volume import Volume
from plash.levelset.sampling import sampled
from plash.particles.particles import Particles
from plash.physics.level_set.continuation import filled_cells
from plash.physics.solids.rigid_motion import Poses
from plash.scene.domain import Domain
from plash.scene.model import Scene
from plash.solvers.frame import FrameGrids, FrameParticles, Points, between_centres
from plash.solvers.frame_pressure import FramePressure
from plash.solvers.level_set_stored import HOTTEST, phi_from
from plash.solvers.limits import FASTEST, bounds_of, fastest
from plash.solvers.poses import pose_arrays, poses_from
from plash.solvers.samples import Samples, samples_of_tiles
from plash.solvers.stored import ArraysByName, StoredArrays

if TYPE_CHECKING:
    from plash.mesh.mesh import Mesh


class FrameDrops(NamedTuple):
    """Drops that fly, one row each: places (m), velocities (m/s) and volumes (m³, in 2-D m²)."""

    position: NDArray[np.float64]
    velocity: NDArray[np.float32]
    volume: NDArray[np.float64]

    @staticmethod
    def of(
        position: NDArray[np.float64], velocity: NDArray[np.float32], cells: NDArray[np.float32], h: float
    ) -> FrameDrops:
        """Drops of volumes in cells."""
        return FrameDrops(position, velocity.copy(), cells.astype(np.float64) * h ** position.shape[1])

    @staticmethod
    def none(dimension: int) -> FrameDrops:
        """No drops."""
        return FrameDrops(np.zeros((0, dimension)), np.zeros((0, dimension), np.float32), np.zeros(0))

    @staticmethod
    def read(arrays: StoredArrays, scene: Scene) -> FrameDrops:
        """The drops in the file of a frame; none in one that was written before there were any."""
        d, bounds, h = scene.dimension, bounds_of(scene), scene.domain.h
        if "drop_volume" not in arrays:
            return FrameDrops.none(d)
        n = len(arrays.take("drop_volume", np.float64, (None,)))
        return FrameDrops(
            arrays.take("drop_position", np.float64, (n, d), bounds.low * h, bounds.high * h),
            arrays.take("drop_velocity", np.float32, (n, d), -FASTEST, FASTEST),
            arrays.take("drop_volume", np.float64, (n,), 0.0, h**d),
        )

    def arrays(self) -> ArraysByName:
        """What stands in the file of a frame."""
        return {f"drop_{name}": values for name, values in self._asdict().items()}


@dataclass(frozen=True, eq=False)
class FrameLevelSet:
    """The level set of a frame.

    Attributes:
        phi: Signed distance of cell centres, m; negative inside.
        velocity: At cell centres [axis, slot, z, y, x], m/s; NaN in solids, and where it is not known.
        h: Cell size, m.
        poses: Where solids that move are, by name.
        drops: Liquid that flies, too small for the level set.
        pressure: Of the last step, in cells.
        temperature: Of cells, K [slot, z, y, x]; None if everything is equally warm.
    """

    phi: CellField
    velocity: NDArray[np.float32]
    h: float
    poses: Poses
    drops: FrameDrops
    pressure: FramePressure
    temperature: NDArray[np.float32] | None = None

    @staticmethod
    def of(
        phi: CellField,
        is_solid: NDArray[np.bool_],
        velocity: Callable[[Points], Points],
        h: float,
        poses: Poses,
        drops: FrameDrops,
        pressure: FramePressure,
    ) -> FrameLevelSet:
        """A level set, which is kept, with the velocity at the centres of cells that are not solid."""
        tiles = phi.tiles
        at = np.full((tiles.dimension, *phi.pool.shape), np.nan, np.float32)
        open_cells = ~is_solid[1:].reshape(-1)
        values = np.full((len(open_cells), tiles.dimension), np.nan)
        values[open_cells] = velocity(tiles.cell_centres(tiles.slots, h)[open_cells])
        at[:, 1:] = values.T.reshape(tiles.dimension, -1, *tiles.shape)
        return FrameLevelSet(phi, at, h, poses, drops, pressure)

    @staticmethod
    def read(arrays: StoredArrays, scene: Scene) -> FrameLevelSet:
        """The level set in the file of a frame.

        Raises:
            DamagedError: It cannot be one of this scene.
        """
        h, most = scene.domain.h, fastest(scene)
        phi = phi_from(arrays, "tiles", "phi", scene.dimension, h)
        velocity = arrays.take(
            "velocity", np.float32, (scene.dimension, *phi.pool.shape), -most, most, unknown=np.isnan
        )
        time = float(arrays.take("time", np.float64, ()))
        poses, drops = poses_from(arrays, scene.poses_at(time)), FrameDrops.read(arrays, scene)
        warmth = None
        if scene.has_heat:
            warmth = arrays.take(TEMPERATURE, np.float32, phi.pool.shape, -HOTTEST, HOTTEST)
        return FrameLevelSet(phi, velocity, h, poses, drops, FramePressure.read(arrays, scene), warmth)

    def arrays(self) -> ArraysByName:
        """What stands in the file of a frame: tiles, φ, the velocity, the poses of solids, drops, the pressure."""
        tiles = {"tiles": self.phi.tiles.keys, "phi": self.phi.pool}
        moving = {"velocity": self.velocity, **pose_arrays(self.poses), **self.drops.arrays()}
        warmth = {} if self.temperature is None else {TEMPERATURE: self.temperature}
        return {**tiles, **moving, **warmth, **self.pressure.arrays()}

    def temperature_at(self, points: Points) -> Points:
        """Temperature (K) at points (n, axes) in metres, between cell centres.

        Raises:
            ValueError: Everything is equally warm, and no temperature is carried along.
        """
        if self.temperature is None:
            raise ValueError("this liquid carries no temperature: everything in its scene is equally warm")
        return sampled(CellField(self.phi.tiles, self.temperature), np.asarray(points, np.float64) / self.h)

    def energy(self, rho: float, gravity: tuple[float, ...]) -> dict[str, float]:
        """Energy of the liquid, J (in 2-D J/m): ρ/2 Σ V |u|², and -ρ Σ V g·x, which is zero at the origin."""
        tiles = self.phi.tiles
        is_known = ~np.isnan(self.velocity[0, 1:])
        volume = (is_known * filled_cells(self.phi.pool[1:], self.h)).reshape(-1) * self.h**tiles.dimension
        speed_squared = np.square(np.nan_to_num(self.velocity[:, 1:]).astype(np.float64)).sum(axis=0).reshape(-1)
        height = tiles.cell_centres(tiles.slots, self.h) @ np.array(gravity[: tiles.dimension])
        drops, g = self.drops, np.array(gravity[: tiles.dimension])
        flying = np.square(drops.velocity.astype(np.float64)).sum(axis=1)
        return {
            "kinetic": float(rho / 2 * ((volume * speed_squared).sum() + (drops.volume * flying).sum())),
            "potential": float(-rho * ((volume * height).sum() + (drops.volume * (drops.position @ g)).sum())),
        }

    def velocity_at(self, points: Points) -> Points:
        """Velocity (n, axes) in m/s at points (n, axes) in metres, between cell centres; NaN where no tile is near."""
        return between_centres(self.velocity, self.phi.tiles, points, self.h)

    def surface(self, scene: Scene, time: float) -> Mesh:
        """The surface where φ is zero at a time (s)."""
        from plash.mesh.level_set_surface import level_set_surface

        solids = scene.solids_at(time)
        drops = self.drops.position, self.drops.volume
        made = level_set_surface(self.phi, self.velocity_at, self.h, scene.mesh, scene.domain, solids, drops)
        if self.temperature is None:
            return made
        points = made.vertices[:, : self.phi.tiles.dimension].astype(np.float64)
        return replace(made, scalars={TEMPERATURE: self.temperature_at(points).astype(np.float32)})

    def sparse_grids(self, scene: Scene, time: float) -> list[SparseGrid]:
        """φ (m) in a narrow band, and the velocity (m/s) there."""
        tiles, width, middle = self.phi.tiles, float(np.float32(BAND * self.h)), 0.5 * self.h
        origin = (middle, middle, middle if tiles.dimension == 3 else 0.0)
        is_told = np.abs(self.phi.pool) < np.float32(width)
        is_told[0] = False
        is_known = is_told & ~np.isnan(self.velocity).any(axis=0)
        velocity = np.ascontiguousarray(np.moveaxis(np.where(is_known, self.velocity, np.float32(0)), 0, -1))
        phi = np.clip(self.phi.pool, -np.float32(width), np.float32(width))
        return [
            SparseGrid("surface", GridKind.LEVEL_SET, tiles, phi, is_told, width, self.h, origin),
            SparseGrid("velocity", GridKind.OTHER, tiles, velocity, is_known, 0.0, self.h, origin),
        ]

    def cell_velocity(self, domain: Domain) -> NDArray[np.float32]:
        """Velocity (m/s) at the centres of cells [axis, [z,] y, x]; NaN in solids, and where it is not known."""
        first = (0,) * len(domain.cells)
        dense = [to_dense(pool, self.phi.tiles, first, domain.cells).T for pool in self.velocity]
        return np.stack(dense)

    def cell_pressure(self, domain: Domain) -> NDArray[np.float32]:
        """Pressure (Pa) of the last step in all cells [[z,] y, x]; NaN where there was no liquid."""
        return self.pressure.dense(domain)

    def as_volume(self) -> Volume:
        """Nothing: a liquid is seen by its surface."""
        return Volume.empty(self.phi.tiles.dimension, self.h)

    def samples(self) -> Samples:
        """The centres of cells with liquid in them, and the drops."""
        is_known = ~np.isnan(self.velocity[0])  # not so beyond walls, where φ goes on
        cells = is_known * filled_cells(self.phi.pool, self.h) * self.h**self.phi.tiles.dimension
        inside, drops = samples_of_tiles(self.phi.tiles, cells, self.velocity, self.h), self.drops
        return Samples(
            np.concatenate([inside.position, drops.position]),
            np.concatenate([inside.amount, drops.volume]),
            np.concatenate([inside.velocity, drops.velocity.astype(np.float64)]),
            self.h,
        )

    def dots(self) -> FrameParticles:
        """No particles."""
        return FrameParticles.of(Particles(self.phi.tiles.dimension), self.h)

    def as_particles(self) -> FrameParticles:
        """There are none."""
        raise AttributeError("a level set has no particles: its liquid is where frame.snapshot.phi is negative")

    def as_grids(self) -> FrameGrids:
        """There are none."""
        raise AttributeError("a level set has no grid of density: its liquid is where frame.snapshot.phi is negative")
