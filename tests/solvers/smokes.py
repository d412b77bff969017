"""Scenes of smoke."""

from typing import Any

import numpy as np

import plash
from plash.grid.dense import to_dense


def smoke_scene(size=(1.6, 1.2), h=0.05, sides="closed", gravity=None, **parts):
    """A scene of smoke with cells of a size; `solver` has more of its keys."""
    domain: Any = {"size": size, "cell_size": h, "sides": sides}
    if gravity is not None:
        domain["gravity"] = gravity
    solver: Any = {"kind": "smoke", **parts.pop("solver", {})}
    return plash.Scene(domain=domain, solver=solver, **parts)


def puff(center, radius, **keys):
    """A round fill."""
    return {"shape": {"kind": "sphere", "center": center, "radius": radius}, **keys}


def centre_of(volume, first, cells):
    """Centre of mass, m."""
    density = to_dense(volume.density, volume.tiles, first, cells).astype(np.float64)
    places = np.indices(cells) + np.reshape(first, (-1, *(1,) * len(cells))) + 0.5
    return (places * density).reshape(len(cells), -1).sum(axis=1) * (volume.h / density.sum())
