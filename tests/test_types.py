"""Code as users write it passes a strict type checker without a plugin, and wrong code does not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from plash.scene.language.signatures import keys_module

ROOT = Path(__file__).parents[1]
SETTINGS = """\
[mypy]
strict = True
python_version = 3.11
[mypy-plash.*]
follow_imports = silent
[mypy-numba.*]
ignore_missing_imports = True
"""
WRONG = {
    'plash.Scene(domain={"size": (1, 1), "resolutoin": 3})': "DomainKeys",
    'plash.Scene(domain={"resolution": 3})': "DomainKeys",
    "plash.Scene(title=3, domain=plash.Domain(size=(1, 1)))": "title",
    "plash.Sphere(center=(0, 0, 0))": "radius",
    'plash.Box(min=(0, 0), max=(1, 1), size="big")': "size",
    'plash.Solver(transfer="glue")': "transfer",
    'plash.MeshShape(file="a.ply", repair="yes")': "repair",
    "plash.simulate(3)": "simulate",
    "plash.splash()": "splash",
}
RIGHT = """
from pathlib import Path
import numpy as np
import plash
scene = plash.Scene(
    domain={"size": (1, "1 m", 1.5), "sides": "open"},
    fill=[
        {"shape": {"kind": "cylinder", "base": (0, 0, 0), "top": (0, 1, 0), "radius": "2 cm"}},
        plash.Fill(shape=plash.HalfSpace(point=np.zeros(3), normal=[0, 1, 0])),
        {"shape": {"kind": "union", "of": [plash.Sphere(center=(0, 0, 0), radius=1)]}},
    ],
    solid=[
        {"shape": plash.MeshShape(file=Path("a.ply"), thickness="2 mm", rotation={"angle": 1, "axis": (1, 0, 0)})},
        plash.Solid(shape={"kind": "mesh", "file": "b.ply", "repair": True}),
    ],
    source=[{"kind": "spout", "shape": {"kind": "disc", "center": (0, 1, 0), "normal": (0, -1, 0), "radius": 0.1}}],
    look={"camera": {"from": (2, 1, 2), "to": (0, 0, 0), "fov": 35}},
)
h: float = scene.domain.h
radius: float = plash.Sphere(center=(0, 0), radius="1 m").radius
again: plash.Scene = scene.model_copy(update={"frames": 3})
for frame in plash.simulate("dam_break"):
    where = frame.particles.position
report: plash.CheckReport = plash.check(Path("mine.toml"))
"""


def checked(folder: Path, **files: str) -> str:
    """What the type checker says about some programs."""
    (folder / "mypy.ini").write_text(SETTINGS)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *(f"{name}.py" for name in files)]
    found = subprocess.run(
        command,
        cwd=folder,
        env={"MYPYPATH": str(ROOT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout + found.stderr


def blocks(page: Path) -> dict[str, str]:
    """The Python programs on a page."""
    found = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    return {f"{page.stem.lower()}_{number}": _whole(text) for number, text in enumerate(found)}


def _whole(text: str) -> str:
    return text if "import plash" in text or "from plash" in text else f"import plash\n{text}"


@pytest.mark.slow
def test_code_of_the_readme_the_reference_and_the_examples_is_typed(tmp_path):
    programs = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("*.py"))}
    programs |= blocks(ROOT / "README.md") | blocks(ROOT / "docs" / "scene_file.md") | {"many_kinds": RIGHT}
    assert len(programs) > 8
    wrong = {f"wrong_{number}": f"import plash\n{line}\n" for number, line in enumerate(WRONG)}
    said = checked(tmp_path, **programs, **wrong)
    faults = [line for line in said.splitlines() if "error:" in line]
    assert not [line for line in faults if not line.startswith("wrong_")], said
    for number, (line, word) in enumerate(WRONG.items()):
        assert any(fault.startswith(f"wrong_{number}.py") and word in fault for fault in faults), (line, said)


def test_keys_are_what_the_models_say():
    path = ROOT / "src" / "plash" / "scene" / "keys.pyi"
    command = "python -m plash.scene.language.signatures src/plash/scene/keys.pyi"
    assert path.read_text("utf-8") == keys_module(), f"the keys are out of date: run {command}"


def test_command_writes_the_keys(tmp_path):
    path = tmp_path / "keys.pyi"
    subprocess.run([sys.executable, "-W", "error", "-m", "plash.scene.language.signatures", str(path)], check=True)
    assert path.read_text("utf-8") == keys_module()


@pytest.mark.parametrize("name", ["Fill", "Scene", "Camera"])
def test_every_model_takes_its_own_keys(name):
    assert f"{name}Keys" in keys_module()
