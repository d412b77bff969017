"""Frames without a run folder: what the liquid does, and where its volume is. python examples/ledger.py [scene]."""

import sys

import numpy as np

import plash

scene = plash.load_scene(sys.argv[1] if len(sys.argv) > 1 else "dam_break_2d", resolution=64, frames=48)
print("frame steps iterations fastest, m/s front, m in particles  measured")
for frame in plash.simulate(scene):
    ledger = frame.ledger
    fastest = np.linalg.norm(frame.particles.velocity, axis=1).max()
    front = frame.particles.position[:, 0].max()
    carried, measured = (volume / ledger.target_volume - 1 for volume in (ledger.particle_volume, ledger.volume))
    print(
        f"{frame.number:5d} {len(frame.steps):5d} {frame.report.iterations:10d} {fastest:12.2f} {front:8.2f} "
        f"{carried:+12.1e} {measured:+9.2%}"
    )
