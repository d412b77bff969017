"""Views: from points in space to samples of a picture, for cameras, lights and flat drawings alike.

Picture coordinates are in samples, x to the right and y down from the top left corner; the centre of sample (row,
column) is at (column + 0.5, row + 0.5). Depth is measured along the direction of view, in metres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import prange
from numpy.typing import ArrayLike, NDArray

from plash.grid.compile import chunk_count, kernel
from plash.grid.loops import chunk_range
from plash.scene.camera import Camera

Array = NDArray[np.float64]

DEFAULT_FOV, _GIVEN_FOV = 28.0, 35.0  # where the place is chosen here, and where the scene gives it
_AZIMUTH, _ELEVATION = math.radians(26.0), math.radians(19.0)
_MARGIN = 0.05


@dataclass(frozen=True, eq=False)
class View:
    """A camera: where it stands, its three axes, and the picture it makes.

    Attributes:
        position: Where it stands, m.
        axes: Rows are unit vectors to the right, up and along the view.
        focal: Samples per metre at a depth of 1 m.
        width, height: Size of the picture in samples.
    """

    position: Array
    axes: Array
    focal: float
    width: int
    height: int

    def project(self, points: ArrayLike) -> Array:
        """Columns x, y (samples) and depth (m) of points (n, 3).

        Points at no depth are at infinity, those behind it are mirrored: clip first.

        >>> view = looking((0, 0, 2), (0, 0, 0), fov=90, size=(200, 100))
        >>> view.project([[1, 0, 1], [0, 0.5, 0]]).round(6).tolist()
        [[150.0, 50.0, 1.0], [100.0, 37.5, 2.0]]
        """
        places = np.ascontiguousarray(points, np.float64)
        seen = np.empty(places.shape)
        _project(places, self.packed, seen, chunk_count())
        return seen

    @property
    def fov(self) -> float:
        """Angle from the top of the picture to its bottom, degrees."""
        return 2 * math.degrees(math.atan(self.height / 2 / self.focal))

    @cached_property
    def packed(self) -> Array:
        """All of it as 15 numbers for kernels: position, right, up, forward, focal, half width, half height."""
        return np.concatenate([self.position, self.axes.ravel(), [self.focal, self.width / 2, self.height / 2]])


@kernel
def _project(places, view, seen, chunks):
    n = len(places)
    for c in prange(chunks):
        for i in chunk_range(c, chunks, n):
            x, y, z = places[i, 0] - view[0], places[i, 1] - view[1], places[i, 2] - view[2]
            ahead = x * view[9] + y * view[10] + z * view[11]
            scale = view[12] / (ahead if ahead != 0 else 1e-300)
            seen[i, 0] = view[13] + scale * (x * view[3] + y * view[4] + z * view[5])
            seen[i, 1] = view[14] - scale * (x * view[6] + y * view[7] + z * view[8])
            seen[i, 2] = ahead


def looking(
    place: ArrayLike, to: ArrayLike, fov: float, size: tuple[int, int], up: ArrayLike = (0.0, 1.0, 0.0)
) -> View:
    """The view from a place towards a point, with an angle of view in degrees from top to bottom.

    Args:
        place: Where the camera stands.
        to: The middle of the picture.
        fov: Angle from the top of the picture to its bottom, degrees.
        size: Width and height in samples.
        up: What is up in the picture.
    """
    position = np.array(place, np.float64)
    forward = _unit(np.asarray(to, np.float64) - position)
    right = _unit(np.cross(forward, np.asarray(up, np.float64)))
    axes = np.stack([right, np.cross(right, forward), forward])
    width, height = size
    return View(position, axes, height / 2 / math.tan(math.radians(fov) / 2), width, height)


def camera_view(camera: Camera | None, domain_size: ArrayLike, size: tuple[int, int], time: float = 0.0) -> View:
    """The view of a scene's camera at a time (s); without one a view of the whole domain from the front and above."""
    if camera is None:
        camera = Camera()
    if camera.animation is not None:
        placed, _ = camera.animation.placed(time)
        place, right_up_back = placed[:3, 3], placed[:3, :3]
        return looking(place, place - right_up_back[:, 2], camera.fov or _GIVEN_FOV, size, right_up_back[:, 1])
    if camera.position is None and not camera.key:
        return _view_of_domain(camera, np.asarray(domain_size, np.float64), size, time)
    place, to, fov = _pose(camera, time)
    axis = np.array(camera.up, np.float64)
    return looking(to + _turned(place - to, axis, camera.turn * time), to, fov, size, axis)


def _view_of_domain(camera: Camera, domain_size: Array, size: tuple[int, int], time: float) -> View:
    """The nearest view that holds the domain; of one that turns, whichever way it is seen."""
    sideways = math.cos(_ELEVATION)
    away = np.array([sideways * math.sin(_AZIMUTH), math.sin(_ELEVATION), sideways * math.cos(_AZIMUTH)])
    fov = camera.fov or DEFAULT_FOV
    corners, up = box_corners(np.zeros(3), domain_size), np.array([0.0, 1.0, 0.0])
    if not camera.turn:
        return framing(corners, away, fov, size, _MARGIN)
    middle = domain_size / 2
    round_about = [middle + _turned(corners - middle, up, math.tau * k / 24) for k in range(24)]
    still = framing(np.concatenate(round_about), away, fov, size, _MARGIN)
    angle = camera.turn * time
    place = middle + _turned(still.position - middle, up, angle)
    return View(place, _turned(still.axes, up, angle), still.focal, *size)


def _pose(camera: Camera, time: float) -> tuple[Array, Array, float]:
    """Where a camera stands and looks, and its angle of view: a smooth curve through its keys, at rest at its ends.

    Between two keys it is the cubic with the keys' velocities, each that of a straight way from the key before to the
    key after (Catmull and Rom 1974, for uneven times).
    """
    keys, times = [], []
    for key in camera.key or (camera,):
        place, to = key.position or camera.position or (), key.to or camera.to or ()
        keys.append(np.array([*place, *to, key.fov or camera.fov or _GIVEN_FOV]))
        times.append(getattr(key, "time", 0.0))
    moment = min(max(time, times[0]), times[-1])
    k = max(sum(t <= moment for t in times) - 1, 0)
    found = keys[k]
    if k + 1 < len(keys):
        span = times[k + 1] - times[k]
        part = (moment - times[k]) / span
        slopes = [
            np.zeros(7) if at in (0, len(keys) - 1) else (keys[at + 1] - keys[at - 1]) / (times[at + 1] - times[at - 1])
            for at in (k, k + 1)
        ]
        rise = keys[k + 1] - keys[k]
        found = keys[k] + rise * part**2 * (3 - 2 * part)
        found = found + span * part * (1 - part) * ((1 - part) * slopes[0] - part * slopes[1])
    return found[:3], found[3:6], float(min(max(found[6], 1.0), 150.0))


def _turned(vectors: Array, axis: Array, angle: float) -> Array:
    """Vectors (..., 3) turned about an axis, counter-clockwise seen with the axis pointing at you (Rodrigues)."""
    along = _unit(axis)
    onto = (vectors @ along)[..., None] * along
    turned: Array = onto + math.cos(angle) * (vectors - onto) + math.sin(angle) * np.cross(along, vectors)
    return turned


def framing(points: Array, away: Array, fov: float, size: tuple[int, int], margin: float) -> View:
    """The nearest view in a direction that holds all points, with a margin as a part of the picture's size."""
    forward = -_unit(away)
    upward = np.array([0.0, 1.0, 0.0]) if abs(forward[1]) < 0.999 else np.array([0.0, 0.0, -1.0])
    target = (points.min(axis=0) + points.max(axis=0)) / 2
    tangent = math.tan(math.radians(fov) / 2) * (1 - 2 * margin)
    reach = np.array([tangent * size[0] / size[1], tangent])
    view = looking(target - forward, target, fov, size, upward)
    for _ in range(8):
        x, y, z = ((points - target) @ view.axes.T).T
        distance = max(float((np.abs(x) / reach[0] - z).max()), float((np.abs(y) / reach[1] - z).max()), 1e-9)
        # Move the middle of what is seen to the middle of the picture
        for axis, along in ((0, x), (1, y)):
            slope = along / (z + distance)
            target = target + view.axes[axis] * (slope.max() + slope.min()) / 2 * distance
        view = looking(target - distance * forward, target, fov, size, upward)
    return view


def facing_view(low: Array, high: Array, size: tuple[int, int]) -> View:
    """The view of a rectangle in the plane z = 0 from straight ahead and afar, as large as fits the picture."""
    middle, span = (low + high) / 2, high - low
    distance = 12 * float(span.max())
    position = np.array([middle[0], middle[1], distance])
    axes = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, -1]])
    return View(position, axes, distance * float(min(size[0] / span[0], size[1] / span[1])), *size)


def box_corners(low: Array, high: Array) -> Array:
    """The 8 corners of a box; corner number k is at the high end of x, y, z where bits 0, 1, 2 of k are set."""
    bits = np.arange(8)[:, None] >> np.arange(3) & 1
    return np.where(bits == 1, high, low).astype(np.float64)


def _unit(vector: Array) -> Array:
    unit: Array = vector / np.sqrt(vector @ vector)
    return unit
