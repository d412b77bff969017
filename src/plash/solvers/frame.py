"""What a frame shows: the particles of a liquid, or the grids of stable fluids; in units for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plash.carried import CARRIED, COLOR, TEMPERATURE, scalars
from plash.grid.box import cell_centres, interpolated_at
from plash.grid.dense import from_dense, tiles_over
from plash.grid.fields import FaceField
from plash.grid.sample import velocity_at
from plash.grid.sparse_grid import SparseGrid, volume_grids
from plash.grid.tiles import Tiles
from plash.grid.volume import Volume
from plash.particles.particles import Particles
from plash.physics.solids.rigid_motion import Poses
from plash.scene.domain import Domain
from plash.scene.model import Scene
from plash.solvers.box_state import BoxState
from plash.solvers.frame_pressure import FramePressure
from plash.solvers.ledger import Ledger
from plash.solvers.limits import FASTEST, bounds_of, fastest
from plash.solvers.poses import pose_arrays, poses_from
from plash.solvers.samples import Samples
from plash.solvers.stored import ArraysByName, StoredArrays
from plash.timing import StepReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plash.mesh.mesh import Mesh

Points = NDArray[np.float64]
_A_TRACE = 1e-3  # of a cell full of liquid, below which a plot shows none


def nowhere(points: Points) -> Points:
    """A velocity that is not known anywhere."""
    return np.full(points.shape, np.nan)


def between_centres(velocity: NDArray[np.float32], tiles: Tiles, points: Points, h: float) -> Points:
    """Velocity at points (n, axes) in metres, between values at centres of cells [axis, slot, z, y, x]."""
    # A face field has component a half a cell before the centre along axis a
    field, shifts = FaceField(tiles, velocity), 0.5 * h * np.eye(points.shape[1])
    columns = [velocity_at(field, points - shift, h)[:, axis] for axis, shift in enumerate(shifts)]
    return np.stack(columns, axis=1)


class Snapshot(Protocol):
    """What a frame shows; a copy that later steps do not change."""

    def energy(self, rho: float, gravity: tuple[float, ...]) -> dict[str, float]:
        """Energy of the liquid, J (in 2-D J/m): ρ/2 Σ V |u|², and -ρ Σ V g·x, which is zero at the origin."""

    def arrays(self) -> ArraysByName:
        """What stands in the file of a frame."""

    def surface(self, scene: Scene, time: float) -> Mesh:
        """The surface of the liquid at a time (s)."""

    def sparse_grids(self, scene: Scene, time: float) -> list[SparseGrid]:
        """The fluid at a time (s) as sparse grids for other programs."""

    def cell_velocity(self, domain: Domain) -> NDArray[np.float32]:
        """Velocity (m/s) at the centres of all cells of the domain [axis, [z,] y, x]; NaN where no liquid is near."""

    def cell_pressure(self, domain: Domain) -> NDArray[np.float32]:
        """Pressure (Pa) of the last step in all cells of the domain [[z,] y, x]; NaN where it is not known."""

    def dots(self) -> FrameParticles:
        """The particles that a picture may show."""

    def samples(self) -> Samples:
        """Points in the fluid, for plots."""

    def velocity_at(self, points: Points) -> Points:
        """Velocity (n, axes) in m/s at points (n, axes) in metres; NaN where there is no liquid near."""

    def as_particles(self) -> FrameParticles:
        """The particles of a liquid; an AttributeError if it has none."""

    def as_grids(self) -> FrameGrids:
        """The grids of stable fluids; an AttributeError if it has none."""

    def as_volume(self) -> Volume:
        """What fills space, such as smoke; empty if nothing does."""


@dataclass(frozen=True, eq=False)
class FrameParticles:
    """The particles of a frame, in units for people.

    Attributes:
        position: In metres, one row per particle.
        carried: What else they carry, by name, one row per particle; each is an attribute too, such as `age` (s).
        velocity_at: Velocity (n, axes) of the liquid in m/s at points (n, axes) in metres; NaN where it is not known.
        poses: Where solids that move are, by name.
        pressure: Of the last step, in cells; None if nothing is known of it.
    """

    position: NDArray[np.float64]
    carried: Mapping[str, NDArray[Any]]
    velocity_at: Callable[[Points], Points] = nowhere
    poses: Poses = field(default_factory=dict)
    pressure: FramePressure | None = None

    @staticmethod
    def of(
        particles: Particles,
        h: float,
        velocity_at: Callable[[Points], Points] = nowhere,
        poses: Poses = MappingProxyType({}),
        velocity: NDArray[np.float32] | None = None,
        pressure: FramePressure | None = None,
    ) -> FrameParticles:
        """A copy of the particles as they are now, and where solids are.

        Args:
            particles: The particles.
            h: Cell size, m.
            velocity_at: Velocity of the liquid at points.
            poses: Where solids that move are.
            velocity: Velocity of each particle now, m/s, one column each; else the one it carries.
            pressure: Of the last step.
        """
        now = {} if velocity is None else {"velocity": velocity}
        shown = {
            name: quantity.shown(now.get(name, getattr(particles, name)), h, particles.dimension)
            for name, quantity in CARRIED.items()
            if quantity.is_in_frames and quantity.is_wanted(getattr(particles, name))
        }
        return FrameParticles(particles.position(h), shown, velocity_at, poses, pressure)

    @staticmethod
    def read(arrays: StoredArrays, scene: Scene) -> FrameParticles:
        """The particles in the file of a frame.

        Raises:
            DamagedError: They cannot be particles of this scene.
        """
        d, h, bounds = scene.dimension, scene.domain.h, bounds_of(scene)
        n = len(arrays.take("volume", np.float64, (None,)))
        particles = Particles(d, n)
        particles.give_rows(scene.carries)
        shown = dict(FrameParticles.of(particles, h).carried)
        for name, start in shown.items():
            if name in arrays or not CARRIED[name].is_new:
                limits = CARRIED[name].shown_limits(bounds, h, d)
                shown[name] = arrays.take(name, start.dtype, start.shape, *limits)
        position = arrays.take("position", np.float64, (n, d), bounds.low * h, bounds.high * h)
        time = float(arrays.take("time", np.float64, ()))
        pressure = FramePressure.read(arrays, scene)
        return FrameParticles(position, shown, poses=poses_from(arrays, scene.poses_at(time)), pressure=pressure)

    def __getattr__(self, name: str) -> NDArray[Any]:
        carried = self.__dict__.get("carried", {})
        if name not in carried:
            raise AttributeError(f"particles of a frame have no {name!r}: they have position, {', '.join(carried)}")
        values: NDArray[Any] = carried[name]
        return values

    @property
    def velocity(self) -> NDArray[np.float32]:
        """In m/s, one row per particle."""
        return self.carried["velocity"]

    @property
    def volume(self) -> NDArray[np.float64]:
        """Liquid each one stands for, m³ (m² in 2-D)."""
        return self.carried["volume"]

    def energy(self, rho: float, gravity: tuple[float, ...]) -> dict[str, float]:
        """Energy of the liquid, J (in 2-D J/m): ρ/2 Σ V |u|², and -ρ Σ V g·x, which is zero at the origin."""
        speed_squared = np.einsum("ij,ij->i", self.velocity, self.velocity, dtype=np.float64)
        return {
            "kinetic": float(rho / 2 * np.sum(self.volume * speed_squared)),
            "potential": float(-rho * np.sum(self.volume * np.einsum("ij,j->i", self.position, gravity))),
        }

    def arrays(self) -> ArraysByName:
        """What stands in the file of a frame: the position, what else is carried, the poses of solids, the pressure."""
        pressure = {} if self.pressure is None else self.pressure.arrays()
        return {"position": self.position, **self.carried, **pose_arrays(self.poses), **pressure}

    @property
    def scalars(self) -> ArraysByName:
        """What is found at the vertices of surfaces beside their velocity, such as their age, by name."""
        return {name: self.carried[name] for name in (*scalars(), COLOR) if name in self.carried}

    def surface(self, scene: Scene, time: float) -> Mesh:
        """The surface round the particles at a time (s)."""
        from plash.mesh.reconstruct import liquid_surface

        where = (scene.domain.h, scene.mesh, scene.domain, scene.solids_at(time))
        return liquid_surface(self.position, self.velocity, self.volume, *where, self.scalars)

    def sparse_grids(self, scene: Scene, time: float) -> list[SparseGrid]:
        """The signed distance (m) to the liquid's surface in a narrow band, and its velocity (m/s) there."""
        from plash.mesh.liquid_field import liquid_field, liquid_grids

        if len(self.position) == 0:
            return []
        where = (scene.domain.h, scene.mesh, scene.domain, scene.solids_at(time))
        return liquid_grids(liquid_field(self.position, self.velocity, self.volume, *where))

    def cell_velocity(self, domain: Domain) -> NDArray[np.float32]:
        """Mean velocity (m/s) of the particles round the centres of all cells [axis, [z,] y, x]; NaN where none are."""
        from plash.mesh.liquid_field import cell_velocity

        return cell_velocity(self.position, self.velocity, self.volume, domain)

    def cell_pressure(self, domain: Domain) -> NDArray[np.float32]:
        """Pressure (Pa) of the last step in all cells [[z,] y, x]; NaN where there was no liquid."""
        return (self.pressure or FramePressure.none(domain.dimension)).dense(domain)

    def dots(self) -> FrameParticles:
        """The particles themselves."""
        return self

    def samples(self) -> Samples:
        """The particles."""
        d = self.position.shape[1]
        spacing = float(np.median(self.volume)) ** (1 / d) if len(self.volume) else 1.0
        return Samples(self.position, self.volume, self.velocity.astype(np.float64), spacing)

    def as_particles(self) -> FrameParticles:
        """The particles themselves."""
        return self

    def as_grids(self) -> FrameGrids:
        """There are none."""
        raise AttributeError("a liquid in air has no grid of density: it is where frame.particles are")

    def as_volume(self) -> Volume:
        """Nothing: a liquid is seen by its surface."""
        return Volume.empty(self.position.shape[1], 1.0)


@dataclass(frozen=True, eq=False)
class FrameGrids:
    """The fields of a frame, at the centres of cells.

    Attributes:
        density: Share of liquid in each cell [[z,] y, x].
        velocity: In m/s, [axis, [z,] y, x] with x first.
        h: Cell size, m.
        temperature: In K, [[z,] y, x]; None if none is carried along.
        pressure: Of the last step, in Pa, of zero mean, [[z,] y, x]; None in files of an earlier plash.
    """

    density: NDArray[np.float32]
    velocity: NDArray[np.float32]
    h: float
    temperature: NDArray[np.float32] | None = None
    pressure: NDArray[np.float32] | None = None

    @staticmethod
    def of(state: BoxState, h: float) -> FrameGrids:
        """A copy of the fields as they are now."""
        warmth = state.scalars.get(TEMPERATURE)
        temperature = None if warmth is None else warmth.astype(np.float32)
        density, velocity, pressure = (
            each.astype(np.float32) for each in (state.density, state.velocity, state.pressure)
        )
        return FrameGrids(density, velocity, h, temperature, pressure)

    @staticmethod
    def read(arrays: StoredArrays, scene: Scene) -> FrameGrids:
        """The fields in the file of a frame.

        Raises:
            DamagedError: They cannot be fields of this scene.
        """
        domain, box, most = scene.domain, scene.domain.cells[::-1], fastest(scene)
        density = arrays.take("density", np.float32, box, -FASTEST, FASTEST)
        velocity = arrays.take("velocity", np.float32, (len(box), *box), -most, most)
        h = float(arrays.take("h", np.float64, (), domain.h, domain.h))
        temperature = arrays.take(TEMPERATURE, np.float32, box, -FASTEST, FASTEST) if scene.has_heat else None
        pressure = arrays.take("pressure", np.float32, box) if "pressure" in arrays else None
        return FrameGrids(density, velocity, h, temperature, pressure)

    def energy(self, rho: float, gravity: tuple[float, ...]) -> dict[str, float]:
        """Energy of the liquid, J (in 2-D J/m): ρ/2 Σ V |u|², and -ρ Σ V g·x, which is zero at the origin."""
        volume = self.density.astype(np.float64) * self.h**self.density.ndim
        speed_squared = (self.velocity.astype(np.float64) ** 2).sum(axis=0)
        potential = 0.0
        for axis, g in enumerate(gravity):
            along = self.density.ndim - 1 - axis
            places = (np.arange(self.density.shape[along]) + 0.5) * self.h
            others = tuple(a for a in range(self.density.ndim) if a != along)
            potential -= rho * g * float((volume.sum(axis=others) * places).sum())
        return {"kinetic": float(rho / 2 * (volume * speed_squared).sum()), "potential": potential}

    def velocity_at(self, points: Points) -> Points:
        """Velocity (n, axes) at points (n, axes) in metres, interpolated; NaN outside the box."""
        high = self.h * np.array(self.density.shape[::-1])
        result = interpolated_at(self.velocity, points, self.h)
        result[((points < 0) | (points > high)).any(axis=1)] = np.nan
        return result

    def arrays(self) -> ArraysByName:
        """What stands in the file of a frame: density, velocity, cell size, and temperature and pressure if known."""
        perhaps = {TEMPERATURE: self.temperature, "pressure": self.pressure}
        known = {name: values for name, values in perhaps.items() if values is not None}
        return {"density": self.density, "velocity": self.velocity, "h": np.asarray(self.h), **known}

    def surface(self, scene: Scene, time: float) -> Mesh:
        """The surface where the density is the isovalue, or the temperature that of an isotherm."""
        from plash.mesh.box_surface import box_surface

        level, *isotherm = scene.solver.surface_keys
        warmth = {} if self.temperature is None else {TEMPERATURE: self.temperature}
        field = self.density
        if isotherm and self.temperature is not None:
            (level,), field = isotherm, self.temperature
        return box_surface(field, self.velocity, level, self.h, scene.mesh, scene.obstacles, warmth)

    def sparse_grids(self, scene: Scene, time: float) -> list[SparseGrid]:
        """Density, velocity (m/s), and temperature (K) if there is one, at the centres of cells."""
        tiles = tiles_over((0,) * self.density.ndim, self.density.shape[::-1])
        pools = {"density": from_dense(self.density.T, tiles)}
        pools["velocity"] = np.stack([from_dense(along.T, tiles) for along in self.velocity], axis=-1)
        if self.temperature is not None:
            pools[TEMPERATURE] = from_dense(self.temperature.T, tiles)
        return volume_grids(Volume(tiles, pools, self.h))

    def cell_velocity(self, domain: Domain) -> NDArray[np.float32]:
        """Velocity (m/s) at the centres of cells [axis, [z,] y, x]."""
        return self.velocity

    def cell_pressure(self, domain: Domain) -> NDArray[np.float32]:
        """Pressure (Pa) of the last step [[z,] y, x], of zero mean."""
        return np.full(self.density.shape, np.nan, np.float32) if self.pressure is None else self.pressure

    def dots(self) -> FrameParticles:
        """No particles."""
        return FrameParticles.of(Particles(self.density.ndim), self.h)

    def samples(self) -> Samples:
        """The centres of cells with some liquid in them."""
        held = self.density.reshape(-1).astype(np.float64) * self.h**self.density.ndim
        some = self.density.reshape(-1) > _A_TRACE
        velocity = self.velocity.reshape(self.density.ndim, -1).T.astype(np.float64)
        return Samples(cell_centres(self.density.shape, self.h)[some], held[some], velocity[some], self.h)

    def as_particles(self) -> FrameParticles:
        """There are none."""
        raise AttributeError("stable fluids have no particles: their liquid is where frame.density is")

    def as_grids(self) -> FrameGrids:
        """The grids themselves."""
        return self

    def as_volume(self) -> Volume:
        """Nothing: the liquid is seen by its surface."""
        return Volume.empty(self.density.ndim, self.h)


@dataclass(frozen=True, eq=False)
class Frame:
    """The liquid at the moment of one picture; a snapshot that later frames do not change.

    Attributes:
        number: 1, 2, ...; frame 1 is the state at the start.
        time: Simulated time, s.
        snapshot: What it shows: the particles of a liquid, or the grids of stable fluids.
        ledger: Volumes up to now.
        steps: What each time step since the frame before did.
    """

    number: int
    time: float
    snapshot: Snapshot
    ledger: Ledger
    steps: tuple[StepReport, ...]

    @property
    def particles(self) -> FrameParticles:
        """The particles of a liquid."""
        return self.snapshot.as_particles()

    @property
    def density(self) -> NDArray[np.float32]:
        """Share of liquid in each cell [[z,] y, x], of stable fluids; their velocity there is `grids.velocity`."""
        return self.grids.density

    @property
    def temperature(self) -> NDArray[np.float32] | None:
        """In each cell [[z,] y, x] of stable fluids, K; None if nothing is warmer than the rest."""
        return self.grids.temperature

    @property
    def grids(self) -> FrameGrids:
        """Density, velocity and temperature at the centres of cells, of stable fluids."""
        return self.snapshot.as_grids()

    @property
    def volume(self) -> Volume:
        """Density of smoke and what else it carries, on tiles."""
        return self.snapshot.as_volume()

    @property
    def report(self) -> StepReport:
        """What the last time step did."""
        return self.steps[-1] if self.steps else StepReport()

    def velocity(self, points: ArrayLike) -> NDArray[np.float64]:
        """Velocity of the liquid (m/s) at points (n, dimension) in metres; NaN where there is no liquid near."""
        return self.snapshot.velocity_at(np.atleast_2d(np.asarray(points, np.float64)))

    def plot(self, axes: Axes | None = None, *, color_by: str | None = "speed") -> Axes:
        """Draw where the fluid is with matplotlib; `color_by` is "speed", "amount" or None."""
        from plash.solvers.frame_views import plot

        return plot(self, axes, color_by=color_by)

    def __repr__(self) -> str:
        amount = f"{self.ledger.volume:.4g} of {self.ledger.target_volume:.4g}"
        return f"<Frame {self.number} at {self.time:.4g} s: volume {amount}, {len(self.steps)} steps>"

    def _repr_html_(self) -> str:
        from plash.solvers.frame_views import html_of

        facts = {"volume": f"{self.ledger.volume:.4g}", "of": f"{self.ledger.target_volume:.4g}"}
        return html_of(self, facts | {"steps": str(len(self.steps))})
