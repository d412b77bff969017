"""What a page could send: messages to a session, requests to the server, and things that are neither."""

import atexit
import functools
import json
import math
import shutil
import socket as sockets
from pathlib import Path
from random import Random
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed

from plash.errors import SceneError
from plash.scene import Scene, scene_text
from plash.studio import messages as m
from plash.studio import session as sessions
from plash.studio.controls import controls
from plash.studio.presets import presets

from ..studio.conftest import SCENE, Studio, make_run, start, stop
from ..studio.listener import Page
from ..studio.test_server import junk, opened
from .cases import promise
from .flows import Writer
from .forgery import forge_json, forge_manifest, forge_scene, replace_manifest
from .scenes import nonsense

_PATHS = ("/", "/page/main.js", "/api/studio", "/api/runs", "/api/file", "/api/render", "/api/stop", "/api/resume")
_NAMES = ("ball", "../secret", "ball/..", "/etc", "\0", "%2e%2e/x", "x" * 5000, "é")
_NUMBERS = (0, 1, -1, 0.5, 8, 24, 0.1, 1e9, -1e9, 1e-300, 1e300, 2**53, 10**400, True, None, "1", [1, 2], [0.0, 1e9])
_KINDS = (
    *("step", "step", "step", "stage", "play", "reset", "save", "set", "set", "speed", "view", "push", "pour", "pour"),
    *(
        "drain",
        "draw",
        "draw",
        "heat",
        "heat",
        "erase",
        "undo",
        "redo",
        "record",
        "stop_recording",
        "open",
        "start",
        "seen",
        "back",
        "back",
        "place",
        "place",
        "remove",
        "probe",
        "compare",
    ),
)
_METHODS = (
    "",
    "",
    'kind = "smoke"',
    'kind = "smoke"\nwind = [0.5, 0.1]',
    'surface = "levelset"',
    'kind = "stable_fluids"',
)
_PATIENCE = 20.0  # s to wait for an answer


def attempt(chance: Random, place: Path) -> str:
    """A session that gets messages, or a server that gets requests."""
    kind = chance.choices(["messages", "requests", "bytes", "socket"], [70, 20, 8, 2])[0]
    if kind == "messages":
        _messages(chance)
    elif kind == "requests":
        _requests(chance, _server(place.parent))
    elif kind == "bytes":
        _noise(chance, _server(place.parent))
    else:
        _socket(chance, _server(place.parent))
    return kind


# Messages, without a server


def _messages(chance: Random) -> None:
    sessions._PATIENCE = math.inf
    page = Page(_scene(chance))
    for _ in range(chance.choice([5, 15, 30])):
        text = message(chance)
        try:
            meant = m.message_of(text)
        except ValueError as error:
            promise(str(error).startswith("a message"), f"{text[:200]!r} is refused with {error}")
            continue
        page.session.take(meant)
        page.work(chance.choice([0, 1, 1, 2]))
        if page.frames:
            page.seen()
    page.work()
    for header, _ in page.frames:
        promise(all(map(_is_sound, header.values())), f"a frame with a number that is none: {header}")


def _is_sound(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def _scene(chance: Random) -> str:
    """The text of a 2-D scene to begin with."""
    if chance.random() < 0.5:
        text = SCENE.replace("resolution = 32", f"resolution = {chance.choice([4, 12, 20])}")
        return text.replace("[solver]", f"[solver]\n{chance.choice(_METHODS)}").replace("tolerance = 1e-3\n", "")
    for _ in range(20):
        data = Writer(chance).scene()
        if len(data["domain"]["size"]) == 2:
            try:
                return scene_text(Scene(**data))
            except SceneError:
                continue
    return SCENE


def message(chance: Random) -> str | bytes:
    """A message, most of the time one that makes sense."""
    if chance.random() < 0.1:
        return junk(chance)
    kind = chance.choice(_KINDS)
    data: dict[str, Any] = {"kind": kind, **_fields(chance, kind)}
    if chance.random() < 0.1 and len(data) > 1:
        data[chance.choice(sorted(data))] = chance.choice(_NUMBERS)
    return json.dumps(data)


def _fields(chance: Random, kind: str) -> dict[str, Any]:
    def coordinate() -> float:
        return chance.choice([chance.uniform(0, 1), chance.uniform(-0.5, 2), 0.0, 1e-9, 1e6, -1e9])

    radius = chance.choice([0.05, 0.1, 0.3, 1e-9, 1e6])
    point = {"x": coordinate(), "y": coordinate(), "radius": radius}
    begins = {"begins": chance.random() < 0.5}
    if kind == "set":
        control = chance.choice(controls())
        value = chance.choice([*_NUMBERS[:8], *control.get("words", []), control.get("least"), control.get("most")])
        if control["key"] == "domain.resolution" and isinstance(value, float | int):
            value = chance.choice([value, 3, 10, 30]) if abs(value) < 60 or abs(value) > 1e6 else 20
        return {"key": chance.choice([control["key"], control["key"], "solver.nonsense"]), "value": value}
    ends = {"x0": coordinate(), "y0": coordinate(), "x1": coordinate(), "y1": coordinate()}
    if kind == "draw":
        return {**begins, **ends, "radius": radius}
    names = ["", "", "box 1", "disc 1", "wall 1", "é" * 40]
    if kind == "compare":
        one = chance.choice(controls())
        choices = [*one.get("words", []), one["least"], one["most"], 0.5, True, "nonsense"]
        chosen = {one["key"]: chance.choice(choices)} if one["key"] != "domain.resolution" else {one["key"]: 12}
        return {"settings": chance.choice([{}, chosen, chosen, {**chosen, "solver.courant": 1.5}, {"x.y": 1}])}
    parts: dict[str, dict[str, Any]] = {
        "play": {"running": chance.random() < 0.7},
        "speed": {"value": chance.choice([0.01, 1.0, 10.0, 100.0])},
        "view": {"name": chance.choice(m.VIEWS), "arrows": chance.random() < 0.5},
        "push": {**point, "u": chance.uniform(-3, 3), "v": chance.choice([0.0, 1e3, -1e3, 1.0])},
        "pour": {**point, **chance.choice([{}, {"color": "#ff8000"}, {"color": "#000000"}, {"color": "red"}])},
        "drain": point,
        "heat": {**point, "warmth": chance.choice([chance.uniform(-60, 200), 0.0, -1e4, 1e4, 1e5])},
        "erase": {**begins, **point},
        "place": {**begins, **ends, "shape": chance.choice(["box", "disc"]), "name": chance.choice(names)},
        "remove": {"name": chance.choice(names)},
        "probe": chance.choice([{}, {"x": coordinate(), "y": coordinate()}]),
        "save": {"purpose": chance.choice(["file", "keep", "link", "x"])},
        "record": {"fps": chance.choice([1, 30, 60, 0]), "format": chance.choice(["mp4", "gif", "avi"])},
        "open": {"text": chance.choice([_scene(chance), "[" * 1000, "", SCENE + "[look]\nlight = '/etc/hosts.hdr'\n"])},
        "start": {"preset": chance.choice(["", "", "nonsense", "../dam", *(p["name"] for p in presets()[:1])])},
        "seen": {"frame": chance.choice([0, 1, 10**9, -1])},
    }
    return parts.get(kind, {})


# Requests, to a server of its own


@functools.cache
def _server(root: Path) -> Studio:
    """A studio with a run to show, and with some that are none; it ends with this process."""
    runs, outside = root / "runs", root / "outside"
    make_run(runs / "ball")
    outside.mkdir()
    chance = Random(5)
    for number in range(40):
        shutil.copytree(runs / "ball", runs / f"bad {number}")
        deed = chance.choice([forge_manifest, forge_scene, forge_json, replace_manifest])
        deed(chance, runs / f"bad {number}", outside)
    scene = runs / "small.toml"
    scene.write_text(SCENE)
    studio = start(runs, str(scene))
    atexit.register(stop, studio)
    return studio


def _requests(chance: Random, studio: Studio) -> None:
    with httpx.Client(base_url=studio.origin, timeout=_PATIENCE) as client:
        for _ in range(chance.choice([1, 5])):
            method = chance.choice(["GET", "GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "X" * 50])
            path = chance.choice([*_PATHS, f"/page/{chance.choice(_NAMES[:6])}", "/recordings/x", "/live", "//", "/%"])
            query = {"name": chance.choice(_NAMES), "kind": chance.choice(["surface", "movie", "report", "x", ""])}
            query |= {"frame": chance.choice(["1", "0", "-1", "1e9", "9" * 30, "١", ""])}
            if chance.random() < 0.9:
                query["token"] = studio.token
            headers = {"origin": chance.choice([studio.origin, studio.origin, "null", "http://evil.example"])}
            headers |= chance.choice([{}, {}, {"range": "bytes=5-2"}, {"cookie": "a" * 5000}, {"if-none-match": "*"}])
            content = _body(chance) if method not in ("GET", "HEAD") else b""
            try:
                answer = client.request(method, path, params=query, headers=headers, content=content)
            except httpx.InvalidURL:
                continue
            asked = f"{method} {path} {query} {headers} {content[:300]!r}"
            promise(answer.status_code < 500, f"{answer.status_code} for {asked}")
            promise("secret" not in answer.text and "root:" not in answer.text, f"a secret is told for {asked}")
        _promise_it_serves(studio)


def _body(chance: Random) -> bytes:
    """What a page might ask for; never quite a scene, as that would be run."""
    wanted = {"text": "version = 1", "depth": 0.5, "resolution": 8, "frames": 2, "quality": "draft"}
    odd = [*_NUMBERS, "", "[" * 3000, "x" * 10_000, nonsense(chance)]
    wanted[chance.choice(sorted(wanted))] = chance.choice(odd)
    named = {"name": chance.choice([str(name) for name in _NAMES if name != "ball"])}
    text = json.dumps(chance.choice([wanted, named, {}, [], None, _NUMBERS]), default=str, skipkeys=True)
    return chance.choice([text.encode("utf-8", "surrogatepass"), b"{" * 9999, chance.randbytes(50)])


def _noise(chance: Random, studio: Studio) -> None:
    """Bytes that are hardly HTTP."""
    good = f"GET /?token={studio.token} HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\n".encode()
    odd = [
        *(b"", chance.randbytes(300), good[: chance.randrange(len(good))], good + b"a" * 100_000, b"\0" * 1000),
        good + b"Content-Length: -1\r\n\r\n",
        good + b"Content-Length: 99999999999999999999\r\n\r\nx",
        good + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        good.replace(b"GET /", b"GET /%00%ff"),
        good + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n",
        good.replace(b"/?", b"/live?") + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    ]
    with sockets.create_connection(("127.0.0.1", studio.port), timeout=_PATIENCE) as raw:
        raw.settimeout(0.2)
        try:
            raw.sendall(chance.choice(odd) + b"\r\n\r\n")
            answer = raw.recv(200)
        except (TimeoutError, ConnectionError):
            answer = b""
    promise(not answer.startswith(b"HTTP/1.1 5"), f"answered with {answer!r}")
    _promise_it_serves(studio)


def _socket(chance: Random, studio: Studio) -> None:
    """A tab, as a page would open one."""
    with opened(studio) as socket:
        try:
            socket.send(json.dumps({"kind": "start"}))
            for _ in range(20):
                socket.send(message(chance))
            socket.recv(timeout=_PATIENCE)
            while True:
                socket.recv(timeout=1)
        except TimeoutError:
            pass
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd is not None else 1006
            promise(code != 4500, "the simulation of the tab ended")
    _promise_it_serves(studio)


def _promise_it_serves(studio: Studio) -> None:
    promise(studio.process.poll() is None, "the server ended")
    listed = httpx.get(f"{studio.origin}/api/runs", params={"token": studio.token}, timeout=_PATIENCE)
    promise(listed.status_code == 200, f"the list of runs is answered with {listed.status_code}")
    promise("ball" in [run["name"] for run in listed.json()["runs"]], "the good run is not in the list")
