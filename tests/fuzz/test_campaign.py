"""Two hundred cases of nonsense, and a harness that notices when one of them goes wrong."""

import sys

import pytest

from .campaign import Worker, campaign
from .cases import PARTS, numbers, part_of

pytestmark = pytest.mark.slow

CASES = 200
STUB = """
import os, sys, time
print('{"event": "ready"}', flush=True)
for line in sys.stdin:
    {deed}
    print('{"event": "done", "outcome": "fine", "failure": "", "seconds": 0.1}', flush=True)
"""


def test_nonsense_is_refused_and_nothing_breaks():
    tally = campaign(1, numbers(1, CASES))
    assert not tally.failures, "\n".join(failure.told(1) for failure in tally.failures)
    assert tally.cases == CASES
    assert set(tally.outcomes) == set(PARTS)


def attempted(deed: str, folder, limit: float = 20.0):
    worker = Worker(0, folder, [sys.executable, "-X", "faulthandler", "-c", STUB.replace("{deed}", deed)])
    try:
        return worker.attempt(7, limit), worker.is_alive
    finally:
        worker.end()


def test_a_case_that_ends_well_leaves_its_process_for_the_next(tmp_path):
    assert attempted("pass", tmp_path) == (("fine", "", 0.1), True)


@pytest.mark.parametrize(
    ("deed", "ending"), [("os.abort()", "SIGABRT"), ("os.kill(os.getpid(), 11)", "SIGSEGV"), ("sys.exit(9)", "code 9")]
)
def test_a_crash_is_a_failure_of_its_case(tmp_path, deed, ending):
    (outcome, text, _), is_alive = attempted(deed, tmp_path)
    assert outcome == "crashed"
    assert ending in text
    assert not is_alive


def test_a_case_that_does_not_end_hangs_and_tells_where(tmp_path):
    (outcome, text, _), is_alive = attempted("time.sleep(600)", tmp_path, limit=0.5)
    assert outcome == "hung"
    assert 'File "<string>", line 5' in text
    assert not is_alive


def test_a_case_keeps_its_number_whatever_else_is_tried():
    every = list(numbers(1, 400))
    assert every == list(range(1, 401))
    some = list(numbers(1, 60, ["folders"]))
    assert some == [number for number in every if part_of(number) == "folders"]
    assert list(numbers(some[7], 3, ["folders"])) == some[7:10]
