"""Paths through clear liquid against Mitsuba's own, in a process of its own: they need a variant that compiles."""

import os
import subprocess
import sys

import pytest

from plash.render.mitsuba.variant import QUICK, works

pytestmark = pytest.mark.slow

_PROGRAM = """
import sys
import numpy as np
import plash
from plash.render.mitsuba.guides import lit_of
from plash.render.mitsuba.raytracer import RayTracer
from plash.render.moment import Moment, no_particles

tank, roughness = sys.argv[1], float(sys.argv[2])
scene = plash.Scene(
    domain={"size": (1.5, 1, 1.2), "resolution": 15},
    fill=[{"shape": {"kind": "box", "min": (0, 0, 0), "max": (1.5, 0.6, 1.2)}}],
    solid=[{"shape": {"kind": "sphere", "center": (0.8, 0.3, 0.7), "radius": 0.25}, "look": {"color": "orange"}}],
    look={"quality": "preview", "width": 64, "tank": tank, "shutter": 0, "absorption": (3.0, 1.0, 0.3),
          "roughness": roughness},
    time={"frames": 1},
)
frame = list(plash.simulate(scene))[0]
tracer = RayTracer(scene)
mi = tracer._mi
moving = tracer._moving(Moment(frame.snapshot.surface(scene, frame.time), no_particles(3), frame.time))
content = tracer._content(moving, frame.time, 0.0)
assert tracer._integrator["type"] != "volpath"
for integrator in (tracer._integrator, tracer._through):
    lit = mi.load_dict(lit_of(content) | {"integrator": integrator, "sensor": tracer._sensor(frame.time, 256)})
    light = np.mean([np.array(mi.render(lit, spp=256, seed=seed))[:, :, :4] for seed in range(2)], axis=0)
    blocks = light.reshape(-1, 4, 16, 4, 4).mean(axis=(1, 3))
    print(*blocks.ravel())
"""


@pytest.fixture(scope="module", autouse=True)
def quick_variant():
    if not works(QUICK):
        pytest.skip("no variant of Mitsuba that compiles works here")


@pytest.mark.parametrize(("tank", "roughness"), [("none", 0.0), ("glass", 0.0), ("none", 0.3)])
def test_light_is_that_of_paths_that_are_absorbed_by_chance(tank, roughness):
    command = [sys.executable, "-c", _PROGRAM, tank, str(roughness)]
    done = subprocess.run(
        command, env=os.environ | {"PLASH_MITSUBA_VARIANT": QUICK}, capture_output=True, text=True, check=True
    )
    new, old = ([float(word) for word in line.split()] for line in done.stdout.splitlines()[-2:])
    apart = [abs(a - b) for a, b in zip(new, old, strict=True)]
    assert sum(new) == pytest.approx(sum(old), rel=0.005)
    assert sum(apart) / len(apart) < 0.01
