"""A scene made in Python becomes a movie: python examples/movie.py [folder]."""

import sys

import plash

scene = plash.Scene(
    title="Two drops meet",
    domain={"size": ("60 cm", "40 cm", "30 cm"), "resolution": 60, "gravity": (0, 0, 0)},
    time={"fps": 48, "frames": 60},
    liquid={"material": "milk"},
    fill=[
        {"shape": plash.Sphere(center=(0.15, 0.20, 0.15), radius="6 cm"), "velocity": ("1.5 m/s", 0, 0)},
        {"shape": plash.Sphere(center=(0.45, 0.22, 0.15), radius="6 cm"), "velocity": ("-1.5 m/s", 0, 0)},
    ],
    look={"background": "#1d2329", "floor": False, "edges": False},
)

for finding in plash.check(scene, with_steps=False).findings:
    print(f"{finding.level}: {finding.where}: {finding.message}; {finding.edit}")

outcome = plash.run(scene, sys.argv[1] if len(sys.argv) > 1 else "out/two_drops")
print(f"{outcome.frames} frames and {outcome.movie}, in {sum(outcome.seconds.values()):.0f} s")
