"""Runs for tests in Blender: `pip install bpy`, in an environment of its own.

PLASH_PYTHON names the interpreter with plash and usd-core, if that is another one: Blender has another USD in it.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

FRAMES = 5


def exported(folder, scene, *formats, frames=FRAMES, resolution=16):
    """A small run of a scene, exported by a process of its own."""
    words = ["run", str(scene), "--resolution", str(resolution), "--frames", str(frames), "--quality", "draft"]
    words += ["--set", f"output.export={json.dumps(formats)}", "--set", "look.width=64", "--out", str(folder)]
    python = os.environ.get("PLASH_PYTHON", sys.executable)
    subprocess.run([python, "-m", "plash", *words, "--quiet"], check=True)
    return folder


def rendered(path, width, height):
    """A small picture by Cycles (height, width, 3), from below upwards."""
    bpy = pytest.importorskip("bpy")
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 16, False
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    picture = bpy.data.images.load(str(path))
    shades = np.array(picture.pixels).reshape(height, width, 4)[..., :3]
    bpy.data.images.remove(picture)
    return shades
