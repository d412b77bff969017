import json
import random

import pytest

from plash.files.log import Log, lost_lines, read_log

STEPS = 20


@pytest.fixture
def path(tmp_path):
    log = Log(tmp_path / "log.jsonl")
    for step in range(1, STEPS + 1):
        log.append(step, {"frame": 2, "dt": 0.5, "seconds": {"solve": 0.25 * step}})
    log.close()
    return tmp_path / "log.jsonl"


def steps(path):
    return [entry["step"] for entry in read_log(path)]


def test_a_line_is_json_for_anybody(path):
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [line["step"] for line in lines] == list(range(1, STEPS + 1))
    assert lines[2]["seconds"] == {"solve": 0.75}
    assert lost_lines(path, STEPS) == 0


@pytest.mark.parametrize("seed", range(40))
def test_no_byte_can_change_unseen(path, seed):
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data) - 1)
    data[place] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    line = path.read_bytes()[:place].count(b"\n") + 1
    assert 1 <= lost_lines(path, STEPS) <= 2  # a line break that was changed spoils two
    assert len(steps(path)) >= STEPS - 2
    log = Log(path, STEPS)
    assert log.lost in (1, 2)
    assert log.last == STEPS
    log.append(STEPS + 1, {"frame": 3})
    log.close()
    assert lost_lines(path, STEPS + 1) == 0
    assert steps(path)[-1] == STEPS + 1
    assert {line, line + 1} >= set(range(1, STEPS + 2)) - set(steps(path)) >= {line} - {STEPS + 1}
    entry = json.loads(path.read_bytes().splitlines()[line - 1])
    assert entry["lost"] == log.lost


def test_lines_that_were_deleted_are_told_once(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4] + lines[7:15]))
    assert lost_lines(path, STEPS) == 3 + 5
    log = Log(path, STEPS)
    log.close()
    assert log.lost == 8
    found = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert [(line["step"], line["lost"]) for line in found if "lost" in line] == [(7, 3), (20, 5)]
    assert lost_lines(path, STEPS) == 0


def test_lines_in_disorder_and_twice_are_put_right(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[10:], *lines]))
    Log(path, STEPS).close()
    assert path.read_bytes() == b"".join(lines)


def test_what_was_not_yet_in_a_checkpoint_is_kept_as_far_as_it_is_whole(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:18] + lines[19:]))
    log = Log(path, 15)
    assert (log.last, log.lost) == (18, 0)
    log.close()
    assert steps(path) == list(range(1, 19))


def test_a_log_of_an_earlier_plash_goes_on(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps({"step": step, "frame": 2, "dt": 0.5}) + "\n" for step in (1, 2, 3)))
    log = Log(path, 3)
    log.append(4, {"frame": 2})
    log.close()
    assert log.lost == 0
    assert steps(path) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b'{"step": 1, "frame": 2, "dt": NaN}',
        b'{"step": 1, "frame": "two"}',
        b'{"step": 1, "iterations": ' + b"9" * 4000 + b"}",
        b'{"step": 1, "iterations": ' + b"9" * 400 + b"}",
        b'{"step": 1, "seconds": [1]}',
        b'{"step": 1, "seconds": {"solve": "long"}}',
        b'{"step": ' + b"9" * 5000 + b"}",
        b'{"step": 0}',
        b'{"step": 3, "lost": 99}',
        b'{"step": 1, "title": "\\ud800"}',
        b"\xff\xfe",
        b"",
    ],
    ids=lambda line: line[:30].decode("latin-1"),
)
def test_hostile_lines_are_left_out(path, line):
    path.write_bytes(line + b"\n" + path.read_bytes())
    assert steps(path)[-STEPS:] == list(range(1, STEPS + 1))
    Log(path, STEPS).close()
    assert [step for step in steps(path) if step] == list(range(1, STEPS + 1))


def test_a_line_that_claims_to_stand_for_all_steps_to_come_is_not_believed(path):
    path.write_bytes(b'{"step": 900000000000000, "lost": 900000000000000}\n')
    log = Log(path, STEPS)
    assert (log.last, log.lost) == (STEPS, STEPS)
    log.close()
    assert len(path.read_bytes()) < 100


def test_a_step_is_logged_once(tmp_path):
    path = tmp_path / "log.jsonl"
    log = Log(path)
    for step in (1, 2, 3):
        log.append(step, {"dt": 0.5 * step})
    log.close()
    with path.open("ab") as file:
        file.write(b'{"step": 4, "d')  # killed in mid-line
    log = Log(path)
    for step in (2, 3, 4, 5):
        log.append(step, {"dt": 0.5 * step})
    log.close()
    assert [entry["step"] for entry in read_log(path)] == [1, 2, 3, 4, 5]
