"""The program as a user meets it: what it prints, and how it ends."""

import json
import subprocess
import sys

import pytest

import plash
from plash.cli.main import _commands, _exit_code

SMALL = ["dam_break_2d", "--resolution", "16", "--frames", "3"]


@pytest.fixture
def call(capfd, tmp_path, monkeypatch):
    """call(*words) -> exit code, standard output, standard error; in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        code = _exit_code(list(words))
        return code, *capfd.readouterr()

    return run


def test_help_loads_nothing_heavy():
    program = (
        "import sys\nfrom plash.cli.main import _exit_code\n_exit_code(['--help'])\n"
        "heavy = {'numba', 'numpy', 'scipy', 'pydantic', 'pint', 'rich', 'PIL', 'av'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(name in done.stdout for name in _commands())


@pytest.mark.parametrize("command", _commands())
def test_every_command_explains_itself(call, command):
    code, out, _ = call(command, "--help")
    assert code == 0
    assert len(out.splitlines()) > 5


@pytest.mark.slow
def test_a_run_makes_a_movie_and_accounts_for_the_volume(call, tmp_path):
    code, out, err = call("run", *SMALL)
    assert code == 0, err
    assert (tmp_path / "out/dam_break_2d/dam_break_2d.mp4").exists()
    assert "movie    out/dam_break_2d/dam_break_2d.mp4" in out
    assert (tmp_path / "out/dam_break_2d/contact.png").exists()
    assert "report   out/dam_break_2d/report.html" in out
    assert "target 0.375 = 0.375 at the start" in out
    assert "removed  nothing" in out
    assert "frame 3/3 100 %" in err


@pytest.mark.slow
def test_stages_can_be_done_one_by_one(call, tmp_path):
    assert call("simulate", *SMALL, "-q")[0] == 0
    assert not (tmp_path / "out/dam_break_2d/mesh").exists()
    assert call("mesh", "dam_break_2d", "-q")[0] == 0
    assert call("render", "out/dam_break_2d", "--set", "look.show=particles", "-q")[0] == 0
    assert not list((tmp_path / "out").rglob("*.mp4"))
    assert call("video", "out/dam_break_2d", "-q") == (0, "", "")
    assert (tmp_path / "out/dam_break_2d/dam_break_2d.mp4").exists()
    code, out, _ = call("info", "out/dam_break_2d", "--verify")
    assert code == 0
    assert "every file is what was written" in out


@pytest.mark.slow
def test_a_movie_can_be_made_in_other_formats(call, tmp_path):
    folder = tmp_path / "out/dam_break_2d"
    assert call("simulate", *SMALL, "-q")[0] == 0
    code, out, _ = call("video", "dam_break_2d", "--format", "gif", "--format", "webm", "--set", "clip_width=64")
    assert code == 0
    assert [name for name in ("mp4", "webm", "gif", "webp") if f"dam_break_2d.{name}\n" in out] == [
        "mp4",
        "webm",
        "gif",
    ]
    assert "report" not in out
    code, out, _ = call("video", "dam_break_2d", "--json")
    done = json.loads(out.splitlines()[-1])
    assert len(done["movies"]) == 3
    assert done["movie"] == "out/dam_break_2d/dam_break_2d.mp4"
    assert done["report"] is None
    assert not (folder / "dam_break_2d.webp").exists()


def test_a_report_can_be_written_of_what_there_is(call, tmp_path):
    call("simulate", *SMALL, "-q")
    code, out, err = call("report", "dam_break_2d")
    assert code == 0, err
    assert "report   out/dam_break_2d/report.html" in out
    assert "There is no movie yet" in (tmp_path / "out/dam_break_2d/report.html").read_text(encoding="utf-8")
    assert call("info", "dam_break_2d", "--verify")[0] == 0


def test_resume_makes_a_run_longer(call):
    call("simulate", *SMALL, "-q")
    code, out, _ = call("resume", "out/dam_break_2d", "--frames", "5")
    assert code == 0
    assert "(5 frames)" in out


@pytest.mark.slow
def test_more_threads_than_cores_are_allowed(tmp_path):
    words = ["simulate", *SMALL, "--out", str(tmp_path / "run"), "--threads", "5", "-q"]
    done = subprocess.run([sys.executable, "-m", "plash", *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_json_is_a_line_for_each_event(call):
    code, out, err = call("simulate", *SMALL, "--json")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert err == ""
    assert [event["event"] for event in events if event["event"] != "step"] == ["begin", "made", "made", "made", "done"]
    assert events[-1]["ledger"]["particle_volume"] == pytest.approx(0.375)


def test_options_change_the_scene(call, tmp_path):
    call("simulate", *SMALL, "--seed", "7", "--set", "solver.transfer=flip", "--set", "fill[0].velocity=[1, 0]", "-q")
    scene = plash.parse_scene(json.loads((tmp_path / "out/dam_break_2d/manifest.json").read_text())["scene"])
    assert (scene.solver.seed, scene.solver.transfer, scene.fill[0].velocity) == (7, "flip", (1.0, 0.0))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["rum"], 2, 'Did you mean "run"?'),
        (["sim"], 2, 'Did you mean "simulate"?'),
        (["run"], 2, "Missing argument 'SCENE'"),
        (["run", "dam_break_2d", "--frames", "many"], 2, "--frames"),
        (["run", "dam_break_2d", "--set", "courant"], 2, "KEY=VALUE"),
        (["run", "dam_braek"], 3, 'Did you mean "dam_break"'),
        (["run", "dam"], 3, 'Did you mean "dam_break"?'),
        (["run", "Dam"], 3, 'Did you mean "dam_break"?'),
        (["check", "faucet"], 3, 'Did you mean "faucet_filling_glass"?'),
        (["bench", "--scene", "bench"], 3, 'Did you mean "bench_dam_break"?'),
        (["new", "mine", "--from", "dam"], 3, 'Did you mean "dam_break"?'),
        (["run", "\udcff"], 3, "there is no such file"),
        (["run", "dam_break_2d", "--set", "frames=1\nresolution=9"], 3, r'"1\nresolution=9" is the wrong type'),
        (["run", "dam_break_2d", "--set", "resolution=1\n[x]"], 3, r'"1\n[x]" is the wrong type'),
        (
            ["run", "dam_break_2d", "--set", f"resolution={'9' * 5000}"],
            3,
            "is the wrong type: it must be a whole number",
        ),
        (
            ["run", "dam_break_2d", "--set", f"resolution={'[' * 5000}"],
            3,
            "is the wrong type: it must be a whole number",
        ),
        (["run", "dam_break_2d", "--set", f"{'a.' * 5000}a=1"], 3, "is not a parameter"),
        (["run", "dam_break_2d", "--set", "a\nb=1"], 3, "is not a parameter"),
        (["run", "dam_break_2d", "--set", "\udcff=1"], 3, "is not a parameter"),
        (["run", "dam_break_2d", "--set", "title=\udcff"], 3, "half of a surrogate pair"),
        (["run", "dam_break_2d", "--resolution", "9" * 5000], 2, "--resolution"),
        (["run", "dam_break_2d", "--set", "courrant=1"], 3, 'Did you mean "courant"'),
        (["run", "dam_break_2d", "--resolution", "-3"], 3, "domain.resolution: -3"),
        (["run", "dam_break_2d", "--set", "look.camera={from=[1,1],to=[0,0]}"], 3, "look.camera"),
        (["check", "dam_break_2d", "--set", "cell_size=2 kg"], 3, "mass"),
        (["resume", "nowhere"], 5, "no run folder"),
        (["mesh", "nowhere"], 5, "no run folder"),
        (["info", "nowhere"], 5, "no run folder"),
        (["report", "nowhere"], 5, "no run folder"),
        (["video", "nowhere", "--format", "avi"], 2, "'mp4', 'webm', 'gif', 'webp'"),
        (["run", "dam_break_2d", "--set", 'movies=["avi"]'], 3, "is not one of mp4, webm, gif, webp"),
        (["run", "dam_break", "--resolution", "1500"], 3, "GB of memory"),
        (["new", ""], 2, "needs a name"),
        (["new", "../../"], 2, '"../../" is a folder, or nothing: a scene needs a name'),
        (["new", ".."], 2, "needs a name"),
        (["new", "there/"], 2, "needs a name"),
        (["new", ".toml"], 2, "needs a name"),
        (["new", " "], 2, "needs a name"),
        (["new", "a\nb"], 2, r'"a\nb" has a character that cannot be printed'),
        (["new", "\udcff"], 2, "cannot be printed"),
        (["new", "x" * 100_000], 2, "has 100000 bytes: the name of a scene may have 200"),
        (["new", "/proc/mine"], 5, "/proc/mine.toml: cannot be written"),
        (["schema", "--out", "/"], 5, "is a folder"),
        (["new", "mine", "--from", "dam_braek"], 3, 'Did you mean "dam_break"'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_end_with_their_code_and_a_remedy(call, tmp_path, words, code, message):
    found, _, err = call(*words)
    assert found == code
    assert message in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_messages_of_a_bad_scene_are_those_of_the_api(call, tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('version = 1\n[domain]\nsize = ["2 s", 1]\n[[fill]]\nshape = { kind = "ball" }\n')
    with pytest.raises(plash.SceneError) as error:
        plash.load_scene("bad.toml")
    code, _, err = call("run", "bad.toml")
    assert code == 3
    assert err == f"plash: {error.value}\n"


def test_another_simulation_ends_with_6(call):
    call("simulate", *SMALL, "-q")
    code, _, err = call("simulate", *SMALL, "--set", "courant=2")
    assert code == 6
    assert "solver.courant: 3.0 in the run, 2.0 now" in err
    assert call("simulate", *SMALL, "--set", "courant=2", "--force", "-q")[0] == 0


def test_a_run_over_its_budget_ends_with_4_and_says_so_in_json(call):
    code, out, err = call(
        "simulate", *SMALL, "--set", "max_volume_error=1e-9", "--set", "fill[0].velocity=[3,0]", "--json"
    )
    assert code == 4
    assert "max_volume_error" in err
    assert json.loads(out.splitlines()[-1])["exit_code"] == 4


def test_a_missing_frame_ends_with_5_and_the_remedy(call, tmp_path):
    call("simulate", *SMALL, "-q")
    (tmp_path / "out/dam_break_2d/particles/particles.0002.npz").unlink()
    code, _, err = call("mesh", "out/dam_break_2d")
    assert code == 5
    assert "particles.0002.npz: is missing" in err
    assert "`plash resume out/dam_break_2d`" in err
    code, _, err = call("info", "out/dam_break_2d", "--verify")
    assert code == 0  # the frame does not count as done any more


def test_an_internal_error_is_a_sentence(call, monkeypatch):
    monkeypatch.setattr("plash.scene.language.gallery.gallery", lambda: 1 / 0)
    code, _, err = call("scenes")
    assert code == 1
    assert "internal error: ZeroDivisionError" in err
    assert "Traceback" not in err


def test_new_writes_a_scene_that_runs_and_never_overwrites(call, tmp_path):
    code, out, _ = call("new", "mine", "--from", "still_pool")
    assert code == 0
    assert "plash run mine.toml" in out
    assert plash.load_scene(tmp_path / "mine.toml") == plash.load_scene("still_pool")
    code, _, err = call("new", "mine")
    assert code == 5
    assert "is there already" in err
    (tmp_path / "link.toml").symlink_to("nowhere")
    assert call("new", "link")[0] == 5


@pytest.mark.parametrize("name", ["my scene", "it's", "$HOME", "a;b", "-x", "below/two words"])
def test_commands_that_new_prints_can_be_copied_into_a_shell(call, tmp_path, name):
    code, out, _ = call("new", "--", name)
    assert code == 0
    commands = out.partition("then: ")[2].strip()
    shown = subprocess.run(
        ["sh", "-c", f"plash() {{ printf '%s\\n' \"$2\"; }}; {commands}"], capture_output=True, text=True
    )
    files = shown.stdout.splitlines()
    assert len(files) == 2
    assert all((tmp_path / file).is_file() and not file.startswith("-") for file in files)


def test_a_run_is_found_by_the_beginning_of_its_name(call, tmp_path):
    (tmp_path / "out/dam_break_2d").mkdir(parents=True)
    (tmp_path / "out/dam_break_2d/manifest.json").write_text("{}")
    code, _, err = call("resume", "dam")
    assert code == 5
    assert 'Did you mean "dam_break_2d"?' in err


def test_scenes_and_schema_are_complete(call):
    code, out, _ = call("scenes")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(plash.gallery())
    assert json.loads(call("scenes", "--json")[1]) == plash.gallery()
    assert json.loads(call("schema")[1])["required"] == ["version", "domain"]


def test_info_tells_about_the_machine(call):
    facts = json.loads(call("info", "--json")[1])
    assert facts["plash"] == plash.__version__
    assert {"numpy", "numba", "cores", "memory", "ray tracer"} <= set(facts)


@pytest.mark.slow
def test_bench_accounts_for_the_whole_step(call):
    code, out, _ = call("bench", "--scene", "dam_break_2d", "--resolution", "16", "--steps", "2")
    assert code == 0
    assert "PressureSolver.project" in out
    # Of two steps the medians are means, which add up. On a large grid: what Python does between stages is in none
    words = ("bench", "--scene", "dam_break_2d", "--resolution", "320", "--steps", "2", "--json")
    measured = [json.loads(call(*words)[1]) for _ in range(3)]
    shares = [sum(one["stages"].values()) / one["seconds"] for one in measured]
    assert max(shares) >= 0.8
    assert max(shares) <= 1.01
    assert all(one["triad"] > 1e8 for one in measured)
