"""Simulate a 2-D and a 3-D dam break and leave pictures: python examples/pictures.py [folder]."""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import plash
from plash.levelset.shapes import distance

WATER, DEEP, SKY, STONE = (np.array(c, float) for c in ([95, 190, 235], [8, 50, 110], [246, 247, 249], [120, 112, 104]))


def draw_2d(scene, frame, width=960):
    """Particles as discs coloured by speed, solids as stone."""
    scale = width / scene.domain.size[0]
    size = (round(scene.domain.size[1] * scale), width)
    y, x = np.indices(size)
    points = np.stack([x.ravel() + 0.5, size[0] - y.ravel() - 0.5], axis=1) / scale
    image = np.tile(SKY, (*size, 1))
    for solid in scene.solid:
        image[distance(solid.shape, points).reshape(size) < 0] = STONE
    column, row = (frame.particles.position * scale * [1, -1] + [0, size[0]]).T
    fast = np.clip(np.linalg.norm(frame.particles.velocity, axis=1) / 3, 0, 1)[:, None]
    radius = 0.32 * scene.domain.h * scale
    reach = np.arange(-int(radius), int(radius) + 1)
    for dx, dy in ((dx, dy) for dx in reach for dy in reach if dx * dx + dy * dy <= radius**2):
        inside = (slice(None),)
        j, i = np.clip(row + dy, 0, size[0] - 1).astype(int), np.clip(column + dx, 0, size[1] - 1).astype(int)
        image[j, i] = (DEEP + (WATER - DEEP) * fast)[inside]
    return Image.fromarray(image.astype(np.uint8))


def draw_3d(scene, frame, size=(540, 960)):
    """Particles as balls seen in perspective, shaded by the slope of the depth they leave in the picture."""
    centre = np.array(scene.domain.size) * [0.5, 0.3, 0.5]
    eye = centre + np.array([0.55, 0.75, 1.5]) * max(scene.domain.size)
    forward = (centre - eye) / np.linalg.norm(centre - eye)
    right = np.cross(forward, [0, 1, 0]) / np.linalg.norm(np.cross(forward, [0, 1, 0]))
    axes = np.stack([right, np.cross(right, forward), forward])
    solids = np.random.default_rng(0).uniform(0, 1, (400_000, 3)) * scene.domain.size
    gap = np.min([distance(s.shape, solids) for s in scene.solid], axis=0) if scene.solid else np.ones(len(solids))
    solids = solids[np.abs(gap) < 0.3 * scene.domain.h]
    image, nearest = np.tile(SKY, (*size, 1)), np.full(size, 1e9)
    for points, colour in ((solids, STONE), (frame.particles.position, WATER)):
        u, v, depth = axes @ (points - eye).T
        focal = 1.55 * size[0]
        column, row = size[1] / 2 + focal * u / depth, size[0] / 2 - focal * v / depth
        radius = 0.62 * scene.domain.h * focal / depth.mean()
        buffer = np.full(size, 1e9)
        reach = np.arange(-int(radius) - 1, int(radius) + 2)
        for dx, dy in ((dx, dy) for dx in reach for dy in reach if dx * dx + dy * dy <= radius**2):
            bulge = 0.62 * scene.domain.h * np.sqrt(1 - (dx * dx + dy * dy) / (radius**2 + 1e-9))
            i, j = (column + dx).astype(int), (row + dy).astype(int)
            seen = (i >= 0) & (i < size[1]) & (j >= 0) & (j < size[0])
            np.minimum.at(buffer, (j[seen], i[seen]), depth[seen] - bulge)
        for _ in range(6):  # smooth the depth inside the picture of the liquid, not across its outline
            for shift in ((0, 1), (0, -1), (1, 1), (1, -1)):
                other = np.roll(buffer, shift[1], shift[0])
                buffer = np.where(np.abs(other - buffer) < 3 * scene.domain.h, 0.7 * buffer + 0.3 * other, buffer)
        slope = np.stack(
            [*(-np.gradient(buffer, axis=a) * focal / depth.mean() for a in (1, 0)), np.ones(size)], axis=-1
        )
        normal = slope / np.linalg.norm(slope, axis=-1, keepdims=True)
        light = np.clip(normal @ (np.array([-0.4, -0.75, 0.55]) / np.linalg.norm([0.4, 0.75, 0.55])), 0, 1)[..., None]
        shaded = colour * (0.35 + 0.6 * light) + 140 * light**40
        visible = (buffer < nearest) & (buffer < 1e8)
        image[visible], nearest[visible] = shaded[visible], buffer[visible]
    return Image.fromarray(np.clip(image, 0, 255).astype(np.uint8))


def main(folder):
    """Simulate both scenes and save every eighth frame."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw, resolution in (("dam_break_2d", draw_2d, 128), ("dam_break", draw_3d, 64)):
        scene = plash.load_scene(name, resolution=resolution, frames=41)
        for frame in plash.simulate(scene):
            error = frame.ledger.particle_volume / frame.ledger.target_volume - 1
            print(f"{name} frame {frame.number}/{scene.time.frames}, {len(frame.steps)} steps, volume {error:+.1e}")
            if frame.number % 8 == 1:
                draw(scene, frame).save(folder / f"{name}.{frame.number:04d}.png")
    print(f"pictures are in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo"))
