"""Random scenes that can be simulated: small, and odd in every way that a scene file allows.

Lengths are shares of the longest side of the domain, times of that in which a drop falls along it: the same things
happen in a drop of ten micrometres and in a lake.
"""

import math
from random import Random
from typing import Any

from plash.scene.materials import MATERIALS

Table = dict[str, Any]

SIDES = ("x_min", "x_max", "y_min", "y_max", "z_min", "z_max")


class Writer:
    """Writes the tables of a scene; axes, size and kind of solver are drawn first, as all else depends on them."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.axes = 2 if chance.random() < 0.65 else 3
        self.fills_box = chance.random() < 0.2
        self.length = chance.choice([1.0, 1.0, 1.0, 0.37, 12.5, 1e-3, 1e-5, 1e3, 1e5])
        self.gravity = chance.choice([9.81, 9.81, 9.81, 1.62, 0.0])
        self.time = math.sqrt(self.length / (self.gravity or 9.81))
        self.size = [self.length * chance.choice([1.0, 1.0, 0.5, 0.8, 0.34]) for _ in range(self.axes)]
        self.size[chance.randrange(self.axes)] = self.length
        self.cells = chance.randint(3, 24) if self.axes == 2 else chance.randint(3, 11)

    def scene(self) -> Table:
        """A whole scene, with a few of all that there is."""
        chance = self.chance
        down = [0.0, -self.gravity, 0.0] if chance.random() < 0.8 else [g * self.gravity for g in self.direction()]
        domain: Table = {"size": self.size, "gravity": down[: self.axes]}
        if chance.random() < 0.8:
            domain["resolution"] = self.cells
        else:
            domain["cell_size"] = min(self.length / self.cells, *self.size)
        if not self.fills_box and chance.random() < 0.4:
            domain["sides"] = {side: chance.choice(["closed", "open", "unbounded"]) for side in SIDES[: 2 * self.axes]}
        shown = ["surface"] if self.fills_box else ["surface", "particles", "cells"]
        scene: Table = {
            "domain": domain,
            "time": {"frames": 3, "fps": chance.choice([2, 5, 12, 40]) / self.time},
            "solver": self.solver(),
            "liquid": self.liquid(),
            "fill": [self.fill() for _ in range(chance.choice([1, 1, 1, 1, 2, 3]))],
            "solid": [self.solid() for _ in range(chance.choice([0, 0, 1, 1, 2]))],
            "source": [self.source() for _ in range(chance.choice([0, 0, 0, 1, 1, 2]))],
            "mesh": {"detail": chance.choice([1, 2]), "subdivide": chance.choice([0, 0, 0, 1])},
            "look": {"quality": "draft", "width": 32, "show": chance.choice(shown)},
        }
        if not self.fills_box:
            scene["sink"] = [self.sink() for _ in range(chance.choice([0, 0, 0, 1, 2]))]
            scene["force"] = [self.force() for _ in range(chance.choice([0, 0, 0, 1]))]
        if len(scene["source"]) == 2 and chance.random() < 0.5:
            scene["fill"] = []
        scene["pump"] = [self.pump() for _ in range(chance.choice([0, 0, 0, 1]))]
        return {key: value for key, value in scene.items() if value != []}

    def solver(self) -> Table:
        chance = self.chance
        some: Table = {"tolerance": chance.choice([1e-5, 1e-5, 1e-2, 1e-9])}
        if self.fills_box:
            some |= {
                "kind": "stable_fluids",
                "courant": chance.choice([1, 4, 0.3, 30, 100]),
                "advection": chance.choice(["semi_lagrangian", "maccormack"]),
                "confinement": chance.choice([0, 0, 0.3, 10]),
                "diffusion": chance.choice([0, 0, 0.01, 100]) * self.length**2 / self.time,
            }
        else:
            per_side = chance.choice([1, 2, 2, 2, 3])
            some |= {
                "courant": chance.choice([1, 1, 0.5, 2, 5, 10, 0.05]),
                "transfer": chance.choice(["apic", "apic", "flip", "pic", "semi_lagrangian"]),
                "free_surface": chance.choice(["ghost", "ghost", "ghost", "staircase", "cells"]),
                "seed": chance.randrange(2**63),
                "density_projection": chance.random() < 0.8,
                "separating_walls": chance.random() < 0.8,
                "steps_cross_frames": chance.random() < 0.2,
                "particles_per_cell": per_side**self.axes,
                "jitter": chance.choice([0.25, 0, 1]),
                "flip_ratio": chance.choice([0.97, 0, 1]),
            }
            if some["free_surface"] != "cells":
                some["solids"] = chance.choice(["cut", "cut", "voxel"])
        if chance.random() < 0.15:
            some["max_dt"] = self.time * chance.choice([1e-2, 0.1, 10])
        return some

    def liquid(self) -> Table:
        chance = self.chance
        some: Table = {"material": chance.choice(sorted(MATERIALS))}
        if chance.random() < 0.3:
            some["density"] = chance.choice([1e-3, 0.7, 1.0, 1e6])
        if chance.random() < 0.3:
            some["kinematic_viscosity"] = chance.choice([0, 1e-6, 1e-3, 0.1]) * self.length**2 / self.time
        if not self.fills_box and chance.random() < 0.2:
            some["gas_pressure"] = chance.choice([-1e5, 1e5])
        if self.fills_box and chance.random() < 0.4:
            some |= {"thermal_expansion": chance.choice([2e-4, -0.1, 1]), "temperature": 300}
        return some

    def fill(self) -> Table:
        some: Table = {"shape": self.shape()}
        if self.chance.random() < 0.4:
            some["velocity"] = self.velocity()
        if self.chance.random() < 0.15:
            some["time"] = self.moment()
        return some

    def solid(self) -> Table:
        some: Table = {"shape": self.shape(), "friction": self.chance.choice([0, 0, 0.5, 1])}
        if not self.fills_box and self.chance.random() < 0.5:
            some["motion"] = self.motion()
        return some

    def source(self) -> Table:
        chance = self.chance
        if self.fills_box and chance.random() < 0.3:
            return {"kind": "heat", "shape": self.shape(), "temperature": chance.choice([1, 280, 350, 5000])}
        if chance.random() < 0.4:
            return {"kind": "blob", "shape": self.shape(), "time": self.moment(), "velocity": self.velocity()}
        opening: Table = {"center": [chance.uniform(0.05, 0.95) * side for side in self.size]}
        opening["normal"] = self.direction()
        wide = chance.choice([1e-3, 0.02, 0.1, 0.2, 0.6])
        if chance.random() < 0.5:
            opening |= {"kind": "disc", "radius": wide * self.length}
        else:
            opening |= {"kind": "rectangle", "size": [wide * self.length * chance.uniform(0.3, 1)] * (self.axes - 1)}
        some: Table = {"kind": "spout", "shape": opening}
        if chance.random() < 0.6:
            some["speed"] = self.speed()
        else:
            some["flow_rate"] = chance.choice([1e-3, 0.01, 0.1, 1]) * self.length**self.axes / self.time
        if chance.random() < 0.3:
            some |= {"start": self.moment()}
        if chance.random() < 0.3:
            some |= {"stop": some.get("start", 0) + self.time, "ramp": chance.choice([0, 0.1, 0.5]) * self.time}
        if not self.fills_box and chance.random() < 0.2:
            some |= {"motion": self.motion(), "inherit": chance.random()}
        return some

    def sink(self) -> Table:
        some: Table = {"shape": self.shape()}
        if self.chance.random() < 0.4:
            some["flow_rate"] = self.chance.choice([1e-3, 0.1, 10]) * self.length**self.axes / self.time
        if self.chance.random() < 0.3:
            some["start"] = self.moment()
        return some

    def pump(self) -> Table:
        if self.chance.random() < 0.5:
            return {"shape": self.shape(), "velocity": self.velocity()}
        return {"shape": self.shape(), "acceleration": self.acceleration()}

    def force(self) -> Table:
        chance = self.chance
        if chance.random() < 0.3:
            return {"kind": "constant", "acceleration": self.acceleration()}
        some: Table = {
            "kind": chance.choice(["attractor", "vortex"]),
            "point": self.point(),
            "strength": chance.uniform(-3, 3) * self.length / self.time**2,
            "radius": chance.choice([1e-3, 0.1, 1]) * self.length,
            "falloff": chance.choice([0, 1, 2, 10]),
        }
        if some["kind"] == "vortex" and self.axes == 3:
            some["axis"] = self.direction()
        return some

    def motion(self) -> Table:
        chance = self.chance
        some: Table = {"between": chance.choice(["smooth", "linear"])}
        turns = chance.random() < 0.6
        if chance.random() < 0.4:
            some["velocity"] = self.velocity()
        if turns:
            some |= {"spin": chance.choice([0.3, -2, 10]) / self.time, "center": self.point()}
            if self.axes == 3:
                some["axis"] = self.direction()
        kind = chance.choice(["none", "oscillation", "keys", "path"])
        if kind == "oscillation":
            some["oscillation"] = {"amplitude": self.shift(), "period": chance.choice([0.1, 1, 5]) * self.time}
        elif kind == "keys":
            times = sorted({0.0, *(chance.uniform(0, 2) * self.time for _ in range(3))})
            some["keys"] = [{"time": time, "offset": self.shift()} for time in times]
        elif kind == "path":
            points = [self.point() for _ in range(chance.choice([2, 3, 5]))]
            some["path"] = {"points": points, "speed": self.speed(), "loop": chance.random() < 0.5}
        if chance.random() < 0.2:
            some["start"] = self.moment()
        return some

    def shape(self, depth: int = 0) -> Table:
        chance = self.chance
        kinds = ["box", "box", "sphere", "cylinder", "capsule", "half_space", *(["union", "difference"] * (depth < 2))]
        kind = chance.choice(kinds)
        thin = chance.choice([1.0, 1.0, 1.0, 0.2, 0.01])
        if kind == "box":
            low = [x - chance.uniform(0.01, 0.5) * self.length * thin for x in self.point()]
            some: Table = {"min": low, "max": [x + chance.uniform(0.05, 1) * self.length * thin for x in low]}
        elif kind == "sphere":
            some = {"center": self.point(), "radius": chance.uniform(0.05, 0.5) * self.length * thin}
        elif kind in ("cylinder", "capsule"):
            some = {"base": self.point(), "top": self.point(), "radius": chance.uniform(0.02, 0.3) * self.length * thin}
        elif kind == "half_space":
            some = {"point": self.point(), "normal": self.direction()}
        else:
            some = {"of": [self.shape(depth + 1) for _ in range(chance.choice([1, 2, 3]))]}
        if chance.random() < 0.15 and kind != "half_space":
            some["rotation"] = {"angle": chance.uniform(-7, 7), "about": self.point()}
            if self.axes == 3:
                some["rotation"]["axis"] = self.direction()
        return {"kind": kind, **some}

    # Numbers

    def point(self) -> list[float]:
        """In the domain or close to it."""
        shares = [self.chance.choice([0.0, 0.25, 0.5, 1.0, self.chance.uniform(-0.02, 1.02)]) for _ in self.size]
        return [share * side for share, side in zip(shares, self.size, strict=True)]

    def direction(self) -> list[float]:
        if self.chance.random() < 0.6:
            along = [0.0] * self.axes
            along[self.chance.randrange(self.axes)] = self.chance.choice([-1.0, 1.0])
            return along
        return [self.chance.uniform(-1, 1) for _ in range(self.axes)]

    def shift(self) -> list[float]:
        return [self.chance.uniform(-0.3, 0.3) * self.length for _ in range(self.axes)]

    def velocity(self) -> list[float]:
        fast = self.chance.choice([0.3, 1, 1, 10]) * self.length / self.time
        return [self.chance.uniform(-1, 1) * fast for _ in range(self.axes)]

    def acceleration(self) -> list[float]:
        return [self.chance.uniform(-3, 3) * self.length / self.time**2 for _ in range(self.axes)]

    def speed(self) -> float:
        return self.chance.choice([0.1, 1, 1, 10]) * self.length / self.time

    def moment(self) -> float:
        return self.chance.choice([0.01, 0.1, 0.3]) * self.time
