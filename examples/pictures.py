"""Simulate a 2-D and a 3-D dam break and leave pictures: python examples/pictures.py [folder]."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import plash
from plash.levelset.shapes import distance

SKY, FLOOR, STONE, WATER, DEEP = np.array(
    [[248, 249, 250], [214, 216, 218], [150, 130, 112], [92, 190, 240], [8, 60, 130]], float
)


def discs(radius):
    """Pixels of a disc, and how far a ball stands out towards the viewer there, in units of its radius."""
    reach = np.arange(-int(radius) - 1, int(radius) + 2)
    inside = [(dx, dy) for dx in reach for dy in reach if dx * dx + dy * dy <= radius**2]
    return [(dx, dy, np.sqrt(1 - (dx * dx + dy * dy) / (radius**2 + 1e-9))) for dx, dy in inside]


def draw_2d(scene, frame, width=960):
    """Particles as discs coloured by speed, solids as stone."""
    scale = width / scene.domain.size[0]
    height = round(scene.domain.size[1] * scale)
    row, column = np.indices((height, width)) + 0.5
    points = np.stack([column.ravel(), height - row.ravel()], axis=1) / scale
    image = np.tile(SKY, (height, width, 1))
    for solid in scene.solid:
        image[distance(solid.shape, points).reshape(height, width) < 0] = STONE
    x, y = frame.particles.position.T * scale
    fast = np.clip(np.linalg.norm(frame.particles.velocity, axis=1) / 4, 0, 1)[:, None]
    for dx, dy, _ in discs(0.36 * scene.domain.h * scale):
        i, j = np.clip(x + dx, 0, width - 1), np.clip(height - y + dy, 0, height - 1)
        image[j.astype(int), i.astype(int)] = DEEP + (WATER - DEEP) * fast
    return Image.fromarray(image.astype(np.uint8))


def draw_3d(scene, frame, size=(540, 960)):
    """Particles as balls in perspective, lit by the slope of the depth they leave in the picture."""
    h, box = scene.domain.h, np.array(scene.domain.size)
    eye = box * [0.5, 0.25, 0.5] + np.array([0.42, 0.62, 1.15]) * max(box)
    forward = box * [0.5, 0.25, 0.5] - eye
    right = np.cross(forward, [0, 1, 0])
    axes = np.stack([v / np.linalg.norm(v) for v in (right, np.cross(right, forward), forward)])
    random = np.random.default_rng(0).uniform(size=(600_000, 3)) * box
    gap = np.min([distance(solid.shape, random) for solid in scene.solid], axis=0)
    image, nearest = np.tile(SKY, (*size, 1)), np.full(size, 1e9)
    for points, colour, radius, smooth in (
        (random * [1, 0, 1], FLOOR, 0.5 * h, 8),
        (random[np.abs(gap) < 0.3 * h], STONE, 0.8 * h, 8),
        (frame.particles.position, WATER, 0.65 * h, 5),
    ):
        u, v, depth = axes @ (points - eye).T
        focal = 1.5 * size[0] / np.median(depth)
        i, j = size[1] / 2 + 1.5 * size[0] * u / depth, size[0] / 2 - 1.5 * size[0] * v / depth
        buffer = np.full(size, 1e9)
        for dx, dy, out in discs(radius * focal):
            column, row = (i + dx).astype(int), (j + dy).astype(int)
            seen = (column >= 0) & (column < size[1]) & (row >= 0) & (row < size[0])
            np.minimum.at(buffer, (row[seen], column[seen]), depth[seen] - radius * out)
        for axis, shift in [(0, 1), (0, -1), (1, 1), (1, -1)] * smooth:  # not across outlines
            other = np.roll(buffer, shift, axis)
            buffer = np.where(np.abs(other - buffer) < 3 * h, 0.6 * buffer + 0.4 * other, buffer)
        normal = np.stack([*(np.gradient(buffer, axis=a) * focal for a in (1, 0)), np.ones(size)], axis=-1)
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        light = np.clip(normal @ np.array([-0.39, -0.74, 0.54]), 0, 1)[..., None]
        visible = (buffer < nearest) & (buffer < 1e8)
        image[visible] = (colour * (0.45 + 0.6 * light) + 90 * light**30)[visible]
        nearest[visible] = buffer[visible]
    return Image.fromarray(np.clip(image, 0, 255).astype(np.uint8))


def main(folder):
    """Simulate both scenes and save every eighth frame."""
    folder.mkdir(parents=True, exist_ok=True)
    print("the first run compiles the kernels: about a minute for 2-D, and again for 3-D", flush=True)
    for name, draw, resolution in (("dam_break_2d", draw_2d, 128), ("dam_break", draw_3d, 64)):
        scene = plash.load_scene(name, resolution=resolution, frames=41)
        for frame in plash.simulate(scene):
            error = frame.ledger.particle_volume / frame.ledger.target_volume - 1
            print(f"{name}: frame {frame.number} of {scene.time.frames}, {len(frame.steps)} steps, volume {error:+.0e}")
            if frame.number % 8 == 1:
                draw(scene, frame).save(folder / f"{name}.{frame.number:04d}.png")
    print(f"pictures are in {folder.resolve()}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo"))
