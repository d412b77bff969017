"""Which kernels which scenes need: `kernels.json`, recorded from small runs of some scenes of the gallery.

    python -m plash.pipeline.warm.kernel_list

runs these scenes on a coarse grid and writes the file again. A list that is not up to date does
no harm but to the first minute: a run compiles whatever it still needs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from plash.grid.compile import KernelName
from plash.grid.kernel_calls import KernelCall, calls_so_far
from plash.scene.language.read import load_scene
from plash.scene.model import Scene

_FILE = Path(__file__).with_name("kernels.json")
_SCENES = ("dam_break_2d", "dam_break", "wave_maker", "faucet_filling_glass", "plume", "kuo_splash")
_THICK = 1e-4  # m²/s: above it viscosity is solved for
_FEWEST_CELLS, _FRAMES = 16, 12  # by then the dam break has reached its ball, and met a shore


def traits(scene: Scene, is_drawn: bool) -> frozenset[str]:
    """What a scene has that decides on the kernels it needs.

    Args:
        scene: The scene.
        is_drawn: Whether the built-in renderer makes its pictures.
    """
    found = {scene.solver.kind, f"{scene.dimension}-D", *scene.carries}
    found |= {table for table in ("source", "solid", "sink", "pump", "force") if getattr(scene, table)}
    if any(solid.moves for solid in scene.obstacles):
        found.add("motion")
    if scene.liquid.nu > _THICK:
        found.add("thick")
    if is_drawn:
        found.add("drawn")
    for key, field in type(scene.solver).model_fields.items():
        value = getattr(scene.solver, key)
        if key != "kind" and isinstance(value, str | bool) and value != field.default:
            found.add(f"{key}={value}")
    return frozenset(found)


def kernels_for(scene: Scene, is_drawn: bool) -> list[KernelCall]:
    """The kernels that a scene needs, as far as scenes of the gallery that have nothing it lacks need them."""
    has = traits(scene, is_drawn)
    kernels, scenes = _listed()
    wanted = {number for recorded in scenes if has.issuperset(recorded["traits"]) for number in recorded["kernels"]}
    return [kernels[number] for number in sorted(wanted)]


def all_kernels() -> list[KernelCall]:
    """Every kernel in the list."""
    return _listed()[0]


@cache
def _listed() -> tuple[list[KernelCall], list[dict[str, Any]]]:
    data = json.loads(_FILE.read_text("utf-8"))
    return [call_from(entry) for entry in data["kernels"]], data["scenes"]


def call_from(entry: list[Any]) -> KernelCall:
    """A kernel call from plain data: module, name, numbers of the factory or null, arguments."""
    module, name, numbers, arguments = entry
    frozen = None if numbers is None else tuple(tuple(n) if isinstance(n, list) else n for n in numbers)
    return KernelCall(KernelName(module, name, frozen), tuple(arguments))


def call_data(call: KernelCall) -> list[Any]:
    """A kernel call as plain data; `call_from` reads it."""
    return [*call.kernel, list(call.arguments)]


def recorded(name: str) -> list[dict[str, Any]]:
    """Which kernels this process has used after the surfaces of a scene, and after its pictures.

    The process should have used none before. The grid is a third as fine as the scene's own. Surfaces are as the scene
    asks for them, and pictures are drawn by the built-in renderer. Nothing is compiled ahead, as the list that is there
    would say what.
    """
    from plash.pipeline.run import run
    from plash.pipeline.warm.warm import JOBS_VARIABLE

    os.environ[JOBS_VARIABLE] = "1"
    cells = max(load_scene(name).domain.cells) // 3
    scene = load_scene(name, resolution=max(cells, _FEWEST_CELLS), frames=_FRAMES)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for stage, is_drawn in (("mesh", False), ("render", True)):
            scene = scene.model_copy(update={"look.quality": "draft"}) if is_drawn else scene
            run(scene, folder, stages=["simulate", "mesh", stage], progress=False)
            used = [call_data(call) for call in calls_so_far()]
            found.append({"scene": name, "traits": sorted(traits(scene, is_drawn)), "kernels": used})
    return found


def as_list(scenes: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What was recorded of scenes, with each kernel once: scenes have the numbers of theirs."""
    numbers: dict[str, int] = {}
    numbered = [
        {**scene, "kernels": sorted(numbers.setdefault(json.dumps(call), len(numbers)) for call in scene["kernels"])}
        for scene in scenes
    ]
    return {"kernels": [json.loads(call) for call in numbers], "scenes": numbered}


def _write_list() -> None:
    """Record each scene in a process of its own, and write the file."""
    scenes = []
    for name in _SCENES:
        sys.stderr.write(f"{name} ...\n")
        program = [sys.executable, "-m", __spec__.name, name]
        scenes += json.loads(subprocess.run(program, check=True, capture_output=True).stdout)
    listed = as_list(scenes)
    rows = {key: ",\n".join(json.dumps(entry) for entry in entries) for key, entries in listed.items()}
    text = ",\n".join(f'"{key}": [\n{entries}\n]' for key, entries in rows.items())
    _FILE.write_text(f"{{\n{text}\n}}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(json.dumps(recorded(sys.argv[1])))
    else:
        _write_list()
