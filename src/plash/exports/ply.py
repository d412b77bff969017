"""PLY for other programs: as `files/ply.py`, with either axis up and the velocity by its whole name.

A property of PLY is one number, so the velocity (m/s) is `velocity_x`, `velocity_y` and `velocity_z`.
"""

from __future__ import annotations

from plash.exports.axes import Up, upright_mesh
from plash.files.ply import ply_bytes
from plash.mesh.mesh import Mesh

_VELOCITY = ("velocity_x", "velocity_y", "velocity_z")


def export_ply_bytes(mesh: Mesh, up: Up) -> bytes:
    """The mesh as a PLY file with an axis up."""
    return ply_bytes(upright_mesh(mesh, up), _VELOCITY, f"metres, {up} is up")
