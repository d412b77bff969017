"""Animations of glTF files: where a node is at a time, and how fast it goes.

Channels of translation, rotation and scale are read, of the node and of all above it, between keys in steps, straight
or along cubic curves (glTF 2.0, appendix C). Skins and shape keys are left alone.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plash.errors import Problem, SceneError
from plash.scene.language.words import nearest, shown
from plash.scene.mesh_files.file import short, stamp
from plash.scene.mesh_files.gltf import Document, placement
from plash.scene.mesh_files.polygons import MeshFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}
_FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError, OverflowError)


@dataclass(frozen=True, eq=False)
class Channel:
    """What changes one property of a node.

    Attributes:
        times: Of its keys, s.
        values: At each key, a row; of a cubic curve the slope before it, the value and the slope after it.
        between: "LINEAR", "STEP" or "CUBICSPLINE".
        turns: Whether the values are quaternions.
    """

    times: Array
    values: Array
    between: str
    turns: bool

    def at(self, time: float) -> tuple[Array, Array]:
        """The value at a time, and its rate; it stays as it is before the first key and after the last."""
        cubic = self.between == "CUBICSPLINE"
        values = self.values[:, 1] if cubic else self.values
        still = np.zeros(values.shape[1])
        if time < self.times[0] or time >= self.times[-1]:
            return values[0 if time < self.times[0] else -1], still
        i = bisect_right(self.times, time) - 1
        length = float(self.times[i + 1] - self.times[i])
        s, a, b = (time - float(self.times[i])) / length, values[i], values[i + 1]
        if self.between == "STEP":
            return a, still
        if cubic:
            m, n = self.values[i, 2] * length, self.values[i + 1, 0] * length
            two, three = 2 * (a - b) + m + n, 3 * (b - a) - 2 * m - n
            return ((two * s + three) * s + m) * s + a, ((3 * two * s + 2 * three) * s + m) / length
        if self.turns:
            return _slerp(a, b, s, length)
        return a + (b - a) * s, (b - a) / length


@dataclass(frozen=True, eq=False)
class NodeAnimation:
    """How a node of a file moves.

    Attributes:
        chain: The nodes from the root down to it, as the file has them.
        channels: What changes each of them, by property.
        end: When the last key is, s.
        sha256: Of all numbers.
    """

    chain: tuple[dict[str, Any], ...]
    channels: tuple[dict[str, Channel], ...]
    end: float
    sha256: str

    @property
    def rest(self) -> Array:
        """Where the node stands without the animation (4, 4)."""
        matrix = np.eye(4)
        for node in self.chain:
            matrix = matrix @ placement(node)
        return matrix

    def at(self, time: float) -> tuple[Array, Array]:
        """Where the node is at a time (4, 4), and its rate."""
        matrix, rate = np.eye(4), np.zeros((4, 4))
        for node, channels in zip(self.chain, self.channels, strict=True):
            own, changing = _placed(node, channels, time)
            matrix, rate = matrix @ own, rate @ own + matrix @ changing
        return matrix, rate

    def key_times(self) -> list[float]:
        """The times of all keys, s."""
        return sorted({float(time) for part in self.channels for channel in part.values() for time in channel.times})


def read_animation(file: str, node: str, clip: str) -> NodeAnimation:
    """How a node moves in a clip of a file; in all of them, the first that moves each node, if none is named.

    Raises:
        SceneError: There is no such file, node or clip, or it does not move.
    """
    return _read(file, stamp(file), node, clip)


@lru_cache(maxsize=16)
def _read(file: str, _stamp: tuple[int, int], node: str, clip: str) -> NodeAnimation:
    path = Path(file)
    try:
        return _found(Document(path.read_bytes(), path.parent), file, node, clip)
    except OSError as error:
        raise _refused("file", f"{short(file)} cannot be read: {error.strerror or error}") from None
    except MeshFileError as error:
        raise _refused("file", f"{short(file)} {error}") from None
    except _FAULTS as error:
        reason = f"{type(error).__name__} {str(error)[:60]!a}"
        text = f"{short(file)} cannot be read as glTF: its animations are not as they must be ({reason})"
        raise _refused("file", f"{text}; export it again") from None


def _found(document: Document, file: str, node: str, clip: str) -> NodeAnimation:
    nodes = document.nodes
    names = [str(entry.get("name", "")) for entry in nodes]
    if node not in names:
        known = f"{nearest(node, names)} Known: {', '.join(filter(None, names)) or 'none'}"
        raise _refused("node", f"{shown(node)} is no node of {short(file)}.{known}")
    above = {child: number for number, entry in enumerate(nodes) for child in entry.get("children", [])}
    line = [names.index(node)]
    while line[0] in above and len(line) <= len(nodes):
        line.insert(0, above[line[0]])
    clips = {
        str(entry.get("name", "") or f"clip {number + 1}"): entry for number, entry in enumerate(document.animations)
    }
    if clip and clip not in clips:
        known = f"{nearest(clip, clips)} Known: {', '.join(clips) or 'none'}"
        raise _refused("clip", f"{shown(clip)} is no animation of {short(file)}.{known}")
    # Programs write a clip for each object: the first that moves a node counts
    wanted = [clips[clip]] if clip else list(clips.values())[::-1]
    channels = []
    for number in line:
        found: dict[str, Channel] = {}
        for entry in wanted:
            found |= _channels(document, entry, number)
        channels.append(found)
    if any(channels):
        end = max(float(channel.times[-1]) for part in channels for channel in part.values())
        parts = [nodes[number] for number in line]
        numbers = [array.tobytes() for part in channels for c in part.values() for array in (c.times, c.values)]
        placed = [placement(part).tobytes() for part in parts]
        digest = hashlib.sha256(b"".join([*numbers, *placed])).hexdigest()
        return NodeAnimation(tuple(parts), tuple(channels), end, digest)
    raise _refused("node", f"{shown(node)} does not move in {short(file)}: none of its animations has keys for it")


def _channels(document: Document, clip: dict[str, Any], node: int) -> dict[str, Channel]:
    """What changes a node in a clip, by property."""
    found = {}
    for channel in clip.get("channels", []):
        target, sampler = channel["target"], clip["samplers"][channel["sampler"]]
        if target.get("node") != node or target["path"] not in _WIDTHS:
            continue
        width, between = _WIDTHS[target["path"]], sampler.get("interpolation", "LINEAR")
        times = document.values(sampler["input"], 1)[:, 0]
        rows = document.values(sampler["output"], width)
        values = rows.reshape(-1, 3, width) if between == "CUBICSPLINE" else rows
        if len(values) != len(times) or len(times) == 0 or (np.diff(times) <= 0).any():
            raise MeshFileError("has an animation whose keys are not in order, or too few: export it again")
        if between not in ("LINEAR", "STEP", "CUBICSPLINE") or not (
            np.isfinite(values).all() and np.isfinite(times).all()
        ):
            raise MeshFileError(f"has an animation of kind {between!a}, or with numbers that are not finite")
        found[target["path"]] = Channel(times, values, between, target["path"] == "rotation")
    return found


def _placed(node: dict[str, Any], channels: dict[str, Channel], time: float) -> tuple[Array, Array]:
    """Where a node stands to the one above it at a time (4, 4), and its rate."""
    if not channels:
        return placement(node), np.zeros((4, 4))
    values: dict[str, Array] = {
        "translation": np.array(node.get("translation", (0, 0, 0)), np.float64),
        "rotation": np.array(node.get("rotation", (0, 0, 0, 1)), np.float64),
        "scale": np.array(node.get("scale", (1, 1, 1)), np.float64),
    }
    rates = {name: np.zeros(len(value)) for name, value in values.items()}
    for name, channel in channels.items():
        values[name], rates[name] = channel.at(time)
    turn, turning = _rotation(values["rotation"], rates["rotation"])
    matrix, rate = np.eye(4), np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = turn * values["scale"], values["translation"]
    rate[:3, :3], rate[:3, 3] = turning * values["scale"] + turn * rates["scale"], rates["translation"]
    return matrix, rate


def _rotation(quaternion: Array, rate: Array) -> tuple[Array, Array]:
    """The matrix (3, 3) of a quaternion of any length, and its rate."""
    length = float(np.sqrt(quaternion @ quaternion))
    q = quaternion / length
    dq = (rate - q * (q @ rate)) / length
    x, y, z, w = np.eye(4)

    def bilinear(p: Array, r: Array) -> Array:
        """The matrix as a form of two quaternions: R(q) = bilinear(q, q)."""

        def pair(a: Array, b: Array) -> float:
            return float((a @ p) * (b @ r) + (b @ p) * (a @ r))

        return np.array(
            [
                [p @ r - pair(y, y) - pair(z, z), pair(x, y) - pair(z, w), pair(x, z) + pair(y, w)],
                [pair(x, y) + pair(z, w), p @ r - pair(x, x) - pair(z, z), pair(y, z) - pair(x, w)],
                [pair(x, z) - pair(y, w), pair(y, z) + pair(x, w), p @ r - pair(x, x) - pair(y, y)],
            ]
        )

    return bilinear(q, q), 2 * bilinear(q, dq)


def _slerp(a: Array, b: Array, s: float, length: float) -> tuple[Array, Array]:
    """From one quaternion to another, the short way round, at one rate."""
    a, b = a / np.sqrt(a @ a), b / np.sqrt(b @ b)
    cosine = float(a @ b)
    if cosine < 0:
        b, cosine = -b, -cosine
    angle = float(np.arccos(min(cosine, 1.0)))
    if angle < 1e-6:
        return a + (b - a) * s, (b - a) / length
    sine = np.sin(angle)
    value = (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / sine
    rate = angle / length * (np.cos(s * angle) * b - np.cos((1 - s) * angle) * a) / sine
    return value, rate


def _refused(key: str, sentence: str) -> SceneError:
    return SceneError([Problem(key, sentence)])
