"""The figure that Cline's section 10 leaves out: python -m validation.two_cones FILE.png.

-φ over the plane is a cone for each of two discs. Where the cones rise above zero there is liquid. The discs grow along
their normals at 1 m/s, as a `plash.LevelSet`; the cones rise, and two circles become one without any rule for it. Above
is the exact φ, below the level set with lines one cell apart.

It is a level set without particles: where the discs meet, paths end, and particles of the air between them would be
caught there and hold a gap open.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from plash import LevelSet

Array = NDArray[np.float64]

CENTRES = np.array([[0.32, 0.5], [0.68, 0.5]])
RADIUS = 0.1  # m, at the start
H = 1 / 64
TIMES = (0.0, 0.06, 0.12)  # s
_STEPS = 8  # between two of these


def outwards(points: Array, time: float) -> Array:
    """Velocity (m/s) along the normal of the nearer disc."""
    away = points[:, None] - CENTRES
    far = np.linalg.norm(away, axis=2)
    nearer = np.arange(len(points)), far.argmin(axis=1)
    return np.asarray(away[nearer] / np.maximum(far[nearer], 1e-9)[:, None])


def exact(points: Array, time: float) -> Array:
    """Signed distance (m) to discs that grow at 1 m/s."""
    far = np.linalg.norm(points[:, None] - CENTRES, axis=2).min(axis=1)
    return np.asarray(far - RADIUS - time)


def area(time: float) -> float:
    """Area of the discs together, m²."""
    radius, apart = RADIUS + time, float(np.linalg.norm(CENTRES[1] - CENTRES[0]))
    if 2 * radius <= apart:
        return 2 * math.pi * radius**2
    lens = 2 * radius**2 * math.acos(apart / (2 * radius)) - apart / 2 * math.sqrt(4 * radius**2 - apart**2)
    return 2 * math.pi * radius**2 - lens


def grown() -> list[LevelSet]:
    """The discs at each of the times."""
    found = []
    for number, end in enumerate(TIMES):
        discs = LevelSet.of(lambda points: exact(points, 0.0), H, (0, 0), (1, 1), particles=False)
        for _ in range(number * _STEPS):
            discs.advance(outwards, TIMES[1] / _STEPS)
        assert abs(discs.time - end) < 1e-9
        found.append(discs)
    return found


def main() -> None:
    """Draw the figure."""
    parser = argparse.ArgumentParser(prog="python -m validation.two_cones", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="picture to write")
    asked = parser.parse_args()

    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    x, y = np.linspace(0, 1, 161), np.linspace(0.12, 0.88, 121)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    plane = points[:, 0].reshape(121, 161), points[:, 1].reshape(121, 161)
    figure = plt.figure(figsize=(10, 5.6), dpi=110)
    for column, (time, discs) in enumerate(zip(TIMES, grown(), strict=True)):
        phi = exact(points, time)
        known = discs.distance_at(points)
        print(f"t = {time:.2f} s: area {discs.volume:.4f} m², exactly {area(time):.4f} m²")
        cones = figure.add_subplot(2, 3, 1 + column, projection="3d", computed_zorder=False)
        height = -phi.reshape(121, 161)
        colors = np.where(height[..., None] > 0, (0.18, 0.53, 0.78, 1.0), (0.93, 0.78, 0.60, 1.0))
        cones.plot_surface(*plane, height, facecolors=colors, rstride=1, cstride=1, linewidth=0, antialiased=False)
        cones.contour(*plane, height, levels=[0.0], colors="#16202c", linewidths=1.8)
        cones.set(zlim=(-0.35, 0.25), xticks=[], yticks=[], zticks=[])
        cones.set_title(f"-φ at t = {time:.2f} s", fontsize=11)
        cones.view_init(elev=34, azim=-66)
        cones.set_box_aspect((1, 0.76, 0.6), zoom=1.2)
        circles = figure.add_subplot(2, 3, 4 + column)
        circles.contourf(*plane, known.reshape(121, 161), levels=[-1, 0], colors=["#2e87c7"])
        levels = np.arange(-6, 7) * H
        circles.contour(*plane, known.reshape(121, 161), levels=levels, colors="#16202c50", linewidths=0.6)
        circles.contour(*plane, known.reshape(121, 161), levels=[0.0], colors="#16202c", linewidths=1.6)
        circles.set(aspect="equal", xticks=[], yticks=[], xlim=(0, 1), ylim=(0.12, 0.88))
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.02, top=0.95, wspace=0.02, hspace=0.0)
    figure.savefig(asked.file, metadata={"Software": None})


if __name__ == "__main__":
    main()
