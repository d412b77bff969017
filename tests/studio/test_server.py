"""Who gets in and who does not, and what becomes of the processes behind the tabs."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import socket as sockets
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets import Origin
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import plash
from plash.errors import StorageError
from plash.studio.messages import frame_of
from plash.studio.run_processes import RunProcesses
from plash.studio.runs import Runs
from plash.studio.simulations import Simulations

from .conftest import SCENE, start, stop


def opened(studio, token: str | None = None, origin: str | None = "same", host: str | None = None):
    address = f"ws://127.0.0.1:{studio.port}/live"
    address += f"?token={studio.token if token is None else token}"
    headers = {"Host": host} if host else {}
    same = studio.origin if origin == "same" else origin
    sent = None if same is None else Origin(same)
    return connect(address, origin=sent, additional_headers=headers, max_size=None, open_timeout=10)


def say(socket, kind: str, **data) -> None:
    socket.send(json.dumps({"kind": kind, **data}))


def first_frame(socket):
    while True:
        data = socket.recv(timeout=120)
        if isinstance(data, bytes):
            return frame_of(data)


def children_of(process_id: int) -> set[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process_id)], capture_output=True, text=True, check=False)
    return {int(number) for number in found.stdout.split()}


def test_whoever_has_the_token_gets_the_page(studio):
    answer = httpx.get(studio.address)
    assert answer.status_code == 200
    assert "plash studio" in answer.text
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "httponly" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize("path", ["/", "/page/main.js", "/api/studio", "/api/runs", "/api/file?name=ball&kind=movie"])
def test_without_the_token_there_is_nothing(studio, path):
    for address in (f"{studio.origin}{path}", f"{studio.origin}{path}{'&' if '?' in path else '?'}token=wrong"):
        assert httpx.get(address).status_code == 403
    cookie = {"cookie": f"plash_studio_{studio.port}={studio.token}"}
    assert httpx.get(f"{studio.origin}{path}", headers=cookie).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80"])
def test_other_hosts_are_refused(studio, host):
    assert httpx.get(studio.address, headers={"host": host}).status_code == 403
    with pytest.raises((InvalidStatus, ConnectionClosed)), opened(studio, host=host) as socket:
        socket.recv(timeout=5)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", None])
def test_pages_of_other_origins_are_refused(studio, origin):
    with pytest.raises((InvalidStatus, ConnectionClosed)), opened(studio, origin=origin) as socket:
        socket.recv(timeout=5)
    headers = {"origin": origin} if origin else {}
    assert httpx.post(f"{studio.origin}/api/stop?token={studio.token}", headers=headers, json={}).status_code == 403


def test_a_wrong_token_opens_no_socket(studio):
    for token in ("", "wrong", studio.token[:-1]):
        with pytest.raises((InvalidStatus, ConnectionClosed)), opened(studio, token=token) as socket:
            socket.recv(timeout=5)


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "ball/../../secret",
        "/etc",
        "..",
        ".",
        "",
        "link",
        "ball/../link",
        "%2e%2e/secret",
        "ball\0",
        "C:\\x",
    ],
)
def test_no_path_leads_out_of_the_runs_folder(studio, name):
    secret = studio.runs.parent / "secret"
    if not secret.exists():
        secret.mkdir()
        (secret / "manifest.json").write_text("{}")
        (secret / "report.html").write_text("secret")
        (secret / "mesh").mkdir()
        (studio.runs / "link").symlink_to(secret)
        (studio.runs / "ball" / "mesh" / "surface.0009.ply").symlink_to(secret / "report.html")
    for kind, frame in (("report", "1"), ("surface", "9"), ("contact", "1"), ("../../x", "1")):
        query = {"name": name, "kind": kind, "frame": frame, "token": studio.token}
        answer = httpx.get(f"{studio.origin}/api/file", params=query)
        assert answer.status_code == 404
        assert "secret" not in answer.text
    listed = httpx.get(f"{studio.origin}/api/runs?token={studio.token}").json()["runs"]
    assert [run["name"] for run in listed] == ["ball"]


def test_a_link_inside_a_run_leads_nowhere(studio):
    query = {"name": "ball", "kind": "surface", "frame": "9", "token": studio.token}
    assert httpx.get(f"{studio.origin}/api/file", params=query).status_code == 404
    assert httpx.get(f"{studio.origin}/api/file", params=query | {"frame": "1"}).status_code == 200


@pytest.mark.parametrize("name", ["../server.py", "%2e%2e/server.py", "lib/../../server.py", "LICENSE", "nothing.js"])
def test_only_files_of_the_page_are_served(studio, name):
    assert httpx.get(f"{studio.origin}/page/{name}?token={studio.token}").status_code == 404


ODD_NAMES = [
    "%00",
    "main.js%00",
    "a" * 300,
    "a/" * 3000,
    "%ff%fe",
    "%ed%a0%80",
    "%",
    "%zz",
    "lib",
    ".",
    "%2e%2e",
    "%0d%0a",
]


@pytest.mark.parametrize("place", ["page/", "page/lib/", "recordings/", "api/"])
@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: name[:12])
def test_names_that_no_file_has_are_not_found(studio, place, name):
    with sockets.create_connection(("127.0.0.1", studio.port), timeout=20) as socket:
        lines = [f"GET /{place}{name}?token={studio.token} HTTP/1.1", f"Host: 127.0.0.1:{studio.port}"]
        socket.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        answer = b"".join(iter(lambda: socket.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 404")
    assert len(answer.partition(b"\r\n\r\n")[2]) > 5


def test_a_run_that_cannot_be_written_is_refused_with_a_sentence(tmp_path):
    folder = tmp_path / "out"
    folder.write_text("a file")
    with pytest.raises(StorageError, match=re.escape(str(folder))):
        asyncio.run(RunProcesses(Runs(folder)).start(plash.load_scene("dam_break_2d"), "draft"))


def junk(random: random.Random) -> str | bytes:
    """A message that is none: noise, half of one, or one with something wrong in it."""
    good = {"kind": "push", "x": 0.1, "y": 0.2, "u": 1.0, "v": 0.0, "radius": 0.1}
    kinds = ["", "start ", "set", "push", "draw", "open", None, 7, [], {}]
    match random.randrange(6):
        case 0:
            return bytes(random.randrange(256) for _ in range(random.randrange(1, 60)))
        case 1:
            return "".join(chr(random.randrange(1, 0x2FFF)) for _ in range(random.randrange(60)))
        case 2:
            return json.dumps(good)[: random.randrange(60)]
        case 3:
            return json.dumps({**good, random.choice(list(good)): random.choice(["x", None, [], {}, 1e300, True])})
        case 4:
            return json.dumps({"kind": random.choice(kinds), "running": random.choice([1, "yes", None])})
        case _:
            return "[" * random.randrange(1, 5000)


@pytest.mark.slow
def test_a_thousand_malformed_messages_close_their_socket_and_nothing_else(studio):
    generator = random.Random(7)
    before = children_of(studio.process.pid)
    refused = 0
    for _ in range(1000):
        with opened(studio) as socket:
            socket.send(junk(generator))
            try:
                socket.recv(timeout=10)
            except ConnectionClosed as closed:
                refused += closed.rcvd is not None and closed.rcvd.code == 4400 and bool(closed.rcvd.reason)
    assert refused == 1000
    assert httpx.get(studio.address).status_code == 200
    assert children_of(studio.process.pid) == before


def close_code(studio, messages) -> int:
    """The code that a socket is closed with for these messages; 1006 if it was cut while they were being sent."""
    with opened(studio) as socket:
        try:
            for message in messages:
                socket.send(message)
            socket.recv(timeout=10)
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else 1006
    return 0


def test_too_long_and_too_many_messages_are_refused(studio):
    assert close_code(studio, [json.dumps({"kind": "open", "text": "x" * 300_000})]) == 4400
    assert close_code(studio, ["x" * 5_000_000]) in (1009, 1006)
    assert close_code(studio, ['{"kind": "seen", "frame": 0}'] * 3000) in (4429, 1006)
    assert httpx.get(studio.address).status_code == 200


def test_bad_requests_are_answered_with_a_sentence(studio):
    def ask(path: str, data: bytes) -> httpx.Response:
        address = f"{studio.origin}/api/{path}?token={studio.token}"
        return httpx.post(address, content=data, headers={"origin": studio.origin})

    for data in (b"", b"{", b"{}", b'{"text": 3}', b"x" * 700_000):
        answer = ask("render", data)
        assert answer.status_code == 400
        assert answer.json()["error"]
    light = SCENE + '[look]\nlight = "/etc/hosts.hdr"\n'
    scene = json.dumps({"text": light, "depth": 0.5, "resolution": 8, "frames": 2, "quality": "draft"}).encode()
    assert "names a file" in ask("render", scene).json()["error"]
    assert "no run of that name" in ask("resume", b'{"name": "../secret"}').json()["error"]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    found = start(tmp_path_factory.mktemp("own"))
    yield found
    stop(found)


@pytest.mark.slow
def test_tabs_are_separate(own):
    with opened(own) as one, opened(own) as other:
        say(one, "start", preset="dam")
        say(other, "start", preset="honey")
        frames = [first_frame(socket)[0] for socket in (one, other)]
        assert frames[0]["target_volume"] == pytest.approx(0.35)
        assert frames[1]["target_volume"] < 0.1
        say(one, "play", running=True)
        say(one, "seen", frame=1)
        assert first_frame(one)[0]["steps"] > 0


def text_of(socket, kind: str) -> dict:
    while True:
        data = socket.recv(timeout=120)
        if isinstance(data, str) and (text := json.loads(data))["kind"] == kind:
            return text


@pytest.mark.slow
def test_a_page_that_is_loaded_again_goes_on_with_its_simulation(own):
    with opened(own) as socket:
        say(socket, "start", preset="drop")
        name = text_of(socket, "session")["name"]
        first_frame(socket)
        for _ in range(3):
            say(socket, "step")
        say(socket, "draw", begins=True, x0=0.8, y0=0.1, x1=0.8, y1=0.3, radius=0.03)
        volume = first_frame(socket)[0]["target_volume"]
    with opened(own) as socket:
        say(socket, "return", name=name)
        assert text_of(socket, "session")["name"] == name
        assert text_of(socket, "returned")["view"] == "surface"
        assert text_of(socket, "scene")["solids"] == ["wall 1"]
        header, arrays = first_frame(socket)
        assert (header["steps"], header["target_volume"]) == (3, volume)
        assert "solid" in arrays


@pytest.mark.slow
def test_a_simulation_in_use_or_of_an_unknown_name_is_given_to_nobody(own):
    with opened(own) as one, opened(own) as other:
        say(one, "start", preset="honey")
        name = text_of(one, "session")["name"]
        say(one, "step")
        first_frame(one)
        say(other, "return", name=name)
        assert text_of(other, "session")["name"] != name
        assert first_frame(other)[0]["steps"] == 0
        say(one, "save")
        assert "Honey" in text_of(one, "file")["text"]
    with opened(own) as socket:
        say(socket, "return", name="x" * 32)
        assert len(text_of(socket, "session")["name"]) == len(name)


def test_a_simulation_waits_for_its_tab_but_not_for_ever():
    async def leave_and_wait() -> bool:
        simulations = Simulations(patience=0.01)
        simulation = await simulations.take("one")
        await simulations.leave(simulation)
        while simulation.is_alive or simulations.count:
            await asyncio.sleep(0.01)
        return await simulations.take_again(simulation.name) is None

    assert asyncio.run(asyncio.wait_for(leave_and_wait(), 30))


def test_a_simulation_that_waits_makes_room_for_a_tab():
    async def three_tabs() -> list[bool]:
        simulations = Simulations(most=2)
        first, second = await simulations.take("one"), await simulations.take("two")
        await simulations.leave(second)
        await simulations.leave(first)
        third = await simulations.take("three")
        back = await simulations.take_again(first.name)
        full = await simulations.take("four")
        found = [second.is_alive, third.is_alive, back is first, full is None]
        await simulations.end()
        return [*found, first.is_alive or third.is_alive]

    assert asyncio.run(three_tabs()) == [False, True, True, True, False]


def test_there_are_only_so_many_simulations():
    async def take_two_at_once() -> list[bool]:
        simulations = Simulations(most=1)
        taken = await asyncio.gather(simulations.take("one"), simulations.take("two"))
        for simulation in filter(None, taken):
            await simulations.give_back(simulation)
        again = await simulations.take("three")
        await simulations.end()
        return [*(simulation is not None for simulation in taken), again is not None and not again.is_alive]

    assert asyncio.run(take_two_at_once()) == [True, False, True]


@pytest.mark.slow
def test_the_studio_ends_at_once_with_its_processes(tmp_path):
    studio = start(tmp_path)
    try:
        with opened(studio) as socket:
            say(socket, "start", preset="dam")
            first_frame(socket)
            say(socket, "play", running=True)
            children = children_of(studio.process.pid)
            assert children
            assert stop(studio) in (0, -signal.SIGTERM)
    finally:
        studio.process.kill()
    end = time.monotonic() + 5
    while (left := [child for child in children if Path(f"/proc/{child}").exists()]) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left


@pytest.mark.slow
def test_a_scene_given_depth_runs_by_itself(own):
    wanted = {"text": SCENE, "depth": 0.4, "resolution": 12, "frames": 40, "quality": "draft"}
    post: Any = {"headers": {"origin": own.origin}, "params": {"token": own.token}}
    name = httpx.post(f"{own.origin}/api/render", json=wanted, **post).json()["name"]
    end = time.monotonic() + 120
    runs: list[Any] = []
    while not (runs and runs[0]["running"] and runs[0]["own"]) and time.monotonic() < end:
        time.sleep(0.2)
        runs = httpx.get(f"{own.origin}/api/runs?token={own.token}").json()["runs"]
    assert [run["name"] for run in runs] == [name] == ["small_tank_in_3_d"]
    assert runs[0]["size"] == [1.6, 1.0, 0.4]
    while runs[0]["running"] and time.monotonic() < end:
        httpx.post(f"{own.origin}/api/stop", json={"name": name}, **post)
        time.sleep(0.5)
        runs = httpx.get(f"{own.origin}/api/runs?token={own.token}").json()["runs"]
    assert not runs[0]["running"]
