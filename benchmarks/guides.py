"""What guides of the denoiser are worth under water: `python -m benchmarks.guides`.

A splash over tiles is rendered with a few samples and denoised, in several ways, and compared with a picture of many
samples. Errors are root mean squares in levels of 255, of the whole picture and of what is seen through liquid. Seconds
are of the processor; each way is also given as many samples as it can have in the time of the first one. Stratified
samples come in rows and columns: their number is rounded up to such a product.

first       colours and normals of the first surface that a ray meets, independent samples: as it was
stratified  the same with stratified samples
chance      colours of what is seen through liquid, normals of the first surface; light ends in the liquid by chance
through     the same with light that is absorbed as it goes: as it is, with LLVM
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default="dam_break")
    parser.add_argument("--resolution", type=int, default=48)
    parser.add_argument("--frame", type=int, default=20)
    parser.add_argument("--width", type=int, default=480, help="pixels across")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--reference", type=int, default=768, help="samples of the picture to compare with")
    parser.add_argument("--tank", default="glass", choices=["glass", "none"])
    asked = parser.parse_args(arguments)
    measure = Measurement(asked)
    print(f"{'guides':12}{'samples':>9}{'processor, s':>14}{'whole':>9}{'through liquid':>16}", flush=True)
    first = measure.row("first", asked.samples)
    for name in ("stratified", "chance", "through"):
        taken = measure.row(name, asked.samples)
        fitting = max(1, round(asked.samples + (first - taken) / measure.seconds_a_sample))
        if fitting != asked.samples:
            measure.row(name, fitting)
    return 0


class Measurement:
    """One frame, its reference, and what is seen through liquid in it."""

    def __init__(self, asked: argparse.Namespace) -> None:
        import plash
        from plash.render.mitsuba.raytracer import RayTracer
        from plash.render.moment import Moment, no_particles

        look = {"look.quality": "preview", "look.width": asked.width, "look.shutter": 0, "look.set": "pool"}
        look["look.tank"] = asked.tank
        scene = plash.load_scene(asked.scene, resolution=asked.resolution, frames=asked.frame, **look)
        *_, last = plash.simulate(scene)
        mesh = last.snapshot.surface(scene, last.time)
        self.scene, self.tracer = scene, RayTracer(scene)
        self.moving, self.time = self.tracer._moving(Moment(mesh, no_particles(3), last.time)), last.time
        self.content = self.tracer._content(self.moving, self.time, 0.0)
        self.reference = np.mean([self.light("multijitter", 64, seed) for seed in range(asked.reference // 64)], axis=0)
        self.light("independent", 1, 0)
        start = time.process_time()
        self.light("independent", 8, 0)
        self.seconds_a_sample = (time.process_time() - start) / 8
        self.liquid = self.first_surface()[1].round(3) != self.first_surface(without="liquid")[1].round(3)
        self.liquid = self.liquid.any(axis=2)

    def row(self, name: str, samples: int) -> float:
        """Measure one way, print it, and return its seconds."""
        from plash.render.mitsuba.denoise import denoised
        from plash.render.tone import toned

        least = math.inf
        for _ in range(4):  # the first ones compile
            start = time.process_time()
            by_chance = None if name == "through" else self.tracer._through
            light = self.light("independent" if name == "first" else "multijitter", samples, 1, by_chance)
            albedo, normal = self.through() if name in ("chance", "through") else self.first_surface()
            clean = denoised(light, albedo, normal, quickly=True)
            least = min(least, time.process_time() - start)
        shown, true = (toned(each, 0.0, "filmic").astype(np.float64) for each in (clean, self.reference))
        off = ((shown - true) ** 2).mean(axis=2)
        whole, under = np.sqrt(off.mean()), np.sqrt(off[self.liquid].mean())
        print(f"{name:12}{samples:9}{least:14.2f}{whole:9.2f}{under:16.2f}", flush=True)
        return least

    def light(self, sampler: str, samples: int, seed: int, integrator: dict[str, Any] | None = None) -> Floats:
        """The picture with its grain, by the integrator of pictures or by another one."""
        from plash.render.mitsuba.guides import lit_of

        tracer = self.tracer
        sensor = tracer._sensor(self.time, samples) | {"sampler": {"type": sampler, "sample_count": samples}}
        lit = tracer._mi.load_dict(
            lit_of(self.content) | {"integrator": integrator or tracer._integrator, "sensor": sensor}
        )
        found: Any = np.array(tracer._mi.render(lit, spp=samples, seed=7 + seed))
        return tracer._before_background(found)

    def through(self) -> tuple[Floats, Floats]:
        """The guides as pictures have them."""
        return self.tracer._guides(self.content, self.time)

    def first_surface(self, without: str = "pane") -> tuple[Floats, Floats]:
        """Colours and normals of the first surface."""
        from plash.render.mitsuba.guides import lit_of

        mi = self.tracer._mi
        content = {name: each for name, each in self.content.items() if "pane" not in name and without not in name}
        scene = mi.load_dict(lit_of(content) | {"sensor": self.tracer._sensor(self.time, 2)})
        aov = mi.load_dict({"type": "aov", "aovs": "albedo:albedo,normal:sh_normal"})
        found = np.array(mi.render(scene, integrator=aov, spp=2, seed=1))
        return found[:, :, -6:-3], found[:, :, -3:]


if __name__ == "__main__":
    sys.exit(main())
