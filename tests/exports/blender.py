"""Runs for tests in Blender: `pip install bpy`, in an environment of its own.

PLASH_PYTHON names the interpreter with plash and usd-core, if that is another one: Blender has another USD in it.
"""

import json
import os
import subprocess
import sys

FRAMES = 5


def exported(folder, scene, *formats, frames=FRAMES, resolution=16):
    """A small run of a scene, exported by a process of its own."""
    words = ["run", str(scene), "--resolution", str(resolution), "--frames", str(frames), "--quality", "draft"]
    words += ["--set", f"output.export={json.dumps(formats)}", "--set", "look.width=64", "--out", str(folder)]
    python = os.environ.get("PLASH_PYTHON", sys.executable)
    subprocess.run([python, "-m", "plash", *words, "--quiet"], check=True)
    return folder
