import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from plash.scene import MATERIALS, Scene, Solver, parse_scene
from plash.scene.language.reference import INTRODUCTION, json_schema, reference_page

PAGE = Path(__file__).parents[3] / "docs" / "scene_file.md"


def test_page_is_what_the_models_say():
    command = "python -m plash.scene.language.reference docs/scene_file.md"
    assert PAGE.read_text(encoding="utf-8") == reference_page(), f"the page is out of date: run {command}"


def test_command_writes_the_page(tmp_path):
    path = tmp_path / "page.md"
    subprocess.run([sys.executable, "-W", "error", "-m", "plash.scene.language.reference", str(path)], check=True)
    assert path.read_text(encoding="utf-8") == reference_page()


def test_page_has_a_row_for_every_parameter_and_material():
    page = reference_page()
    for name in [
        *Scene.model_fields,
        *Solver.model_fields,
        *MATERIALS,
        "min",
        "radius",
        "normal",
        "angle",
        "y_max",
    ]:
        assert f"| `{name}` |" in page
    row = next(line for line in page.splitlines() if line.startswith("| `courant` |"))
    assert row.startswith("| `courant` | number |  | `3.0` | > 0, ≤ 100 | Cells that liquid may cross in one step;")


def test_every_row_has_a_sentence():
    rows = [line for line in reference_page().splitlines() if re.match(r"\| `\w+` \|", line)]
    assert len(rows) > 50
    assert all(row.split(" | ")[-1].removesuffix(" |").strip() for row in rows)


def test_example_on_the_page_is_a_scene_and_the_same_in_python():
    file = re.search(r"```toml\n(.*?)```", INTRODUCTION, re.DOTALL).group(1)
    script = re.search(r"```python\n(.*?)```", INTRODUCTION, re.DOTALL).group(1)
    names: dict[str, Any] = {}
    exec(script, names)
    assert parse_scene(file) == names["scene"]


def test_json_schema_speaks_only_json_schema():
    text = json.dumps(json_schema())
    assert not re.search(r'"(ge|gt|le|lt|default_text|type_text)":', text)
    assert json_schema()["$defs"]["FunctionShape"]["properties"]["function"]["type"] == "string"


def test_json_schema_says_what_is_required_and_allowed():
    schema = json_schema()
    assert schema["required"] == ["version", "domain"]
    assert schema["anyOf"] == [{"required": ["fill"]}, {"required": ["source"]}]
    sphere = schema["$defs"]["Sphere"]
    assert sphere["required"] == ["kind", "center", "radius"]
    assert sphere["additionalProperties"] is False
    number, text = sphere["properties"]["radius"]["anyOf"]
    assert number["exclusiveMinimum"] == 0
    assert text == {"type": "string"}
    assert sphere["properties"]["radius"]["unit"] == "m"
    assert schema["$defs"]["Domain"]["properties"]["size"]["minItems"] == 2
