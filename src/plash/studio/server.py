"""The server of the studio: the page, the sockets of its tabs, and the runs; on this machine, or for its network."""

from __future__ import annotations

import asyncio
import contextlib
import math
import secrets
import signal
import socket as sockets
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import NamedTuple

import uvicorn
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from plash.errors import PlashError, StorageError
from plash.studio.access import GUEST, Access, own_address
from plash.studio.controls import controls
from plash.studio.extrude import extruded
from plash.studio.guard import ENTER, Guard
from plash.studio.lessons import lessons
from plash.studio.messages import LARGEST_PICTURE, LONGEST_TEXT
from plash.studio.presets import presets
from plash.studio.run_processes import RunProcesses
from plash.studio.runs import Runs
from plash.studio.scene_text import opened
from plash.studio.simulations import MOST, Simulations
from plash.studio.tab import Tab
from plash.version import VERSION

HOST = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
PORT = 8765
_PAGE = Path(__file__).parent / "page"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; sandbox"


class _Render(BaseModel):
    """What a page asks for when a scene is to be run in 3-D."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str = Field(max_length=LONGEST_TEXT)
    depth: float = Field(gt=0, le=1e3, allow_inf_nan=False)
    resolution: int = Field(ge=8, le=256)
    frames: int = Field(ge=2, le=2000)
    quality: str = Field(pattern="^(draft|preview|final)$")


class _Named(BaseModel):
    """A run by its name."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(max_length=300)


class _Enter(BaseModel):
    """The password that a guest gives."""

    model_config = ConfigDict(extra="forbid", strict=True)

    password: str = Field(max_length=200)


class Addresses(NamedTuple):
    """Where a studio is: for its owner, and for guests on the network, if it has any."""

    own: str
    guests: str


class Studio:
    """Everything that the requests of pages share."""

    def __init__(self, scene: str, runs: Path, access: Access, tabs: int) -> None:
        self.scene = scene
        self.access = access
        self.runs = Runs(runs)
        self.work = RunProcesses(self.runs)
        self.simulations = Simulations(tabs)
        self.recordings = Path()

    def app(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                Route("/", self.index),
                Route("/page/{name:path}", self.page),
                Route("/api/studio", self.studio),
                Route("/api/runs", self.list_runs),
                Route("/api/file", self.run_file),
                Route("/api/render", self.render, methods=["POST"]),
                Route("/api/stop", self.stop_run, methods=["POST"]),
                Route("/api/resume", self.resume_run, methods=["POST"]),
                Route(ENTER, self.enter, methods=["POST"]),
                Route("/recordings/{name}", self.recording),
                WebSocketRoute("/live", self.live),
            ],
            middleware=[Middleware(Guard, access=self.access)],
            lifespan=self._lifespan,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        with tempfile.TemporaryDirectory(prefix="plash-studio-") as folder:
            self.recordings = Path(folder)
            await self.simulations.prepare()
            yield
            self.work.end()
            await self.simulations.end()

    async def index(self, request: Request) -> Response:
        """The page; whoever came with a token keeps it as a cookie."""
        response = FileResponse(_PAGE / "index.html", media_type="text/html")
        self._keep(response, is_guest=request.state.role == GUEST)
        return response

    def _keep(self, response: Response, is_guest: bool) -> None:
        token = self.access.guest_token if is_guest else self.access.token
        response.set_cookie(self.access.cookie, token, httponly=True, samesite="strict")

    async def enter(self, request: Request) -> Response:
        """Let a guest in who knows the password; whoever guesses has to wait."""
        address = request.client.host if request.client else ""
        wait = math.ceil(self.access.guesses.wait(address))
        if wait:
            return JSONResponse({"error": f"Too many wrong passwords. Wait {wait} s, then try again."}, 429)
        if not self.access.opens(_Enter.model_validate_json(await _body(request)).password, address):
            return JSONResponse({"error": "That is not the password."}, 403)
        response = JSONResponse({})
        self._keep(response, is_guest=True)
        return response

    async def page(self, request: Request) -> Response:
        """A file of the page."""
        path = _file_in(_PAGE, request.path_params["name"])
        if path is None or path.suffix not in _TYPES:
            return PlainTextResponse("There is no such file.\n", 404)
        return FileResponse(path, media_type=_TYPES[path.suffix])

    async def studio(self, request: Request) -> Response:
        """What the page has to know to begin."""
        is_guest = request.state.role == GUEST
        about = {"version": VERSION, "presets": presets(), "controls": controls(), "lessons": lessons()}
        guests = f"{own_address()}:{self.access.port}" if self.access.has_guests else ""
        return JSONResponse(
            {**about, "guest": is_guest, "runs": "" if is_guest else str(self.runs.root), "lan": guests}
        )

    async def list_runs(self, request: Request) -> Response:
        """The runs, and how far each is."""
        found = await asyncio.to_thread(self.runs.all)
        for run in found:
            run["own"] = self.work.is_own(run["name"])
            run["message"] = run["message"] or self.work.messages.get(run["name"], "")
        return JSONResponse({"runs": found})

    async def run_file(self, request: Request) -> Response:
        """A file of a run: a surface, a picture, the movie, the report."""
        query = request.query_params
        what, number = query.get("kind", ""), query.get("frame", "1")
        frame = int(number) if number.isascii() and number.isdigit() and len(number) < 7 else 0
        path = self.runs.file(query.get("name", ""), what, frame)
        if path is None:
            return PlainTextResponse("There is no such file in the runs folder.\n", 404)
        headers = {"content-security-policy": _REPORT_POLICY} if what == "report" else None
        return FileResponse(path, headers=headers)

    async def render(self, request: Request) -> Response:
        """Give a 2-D scene depth, and run it."""
        wanted = _Render.model_validate_json(await _body(request))
        scene = extruded(opened(wanted.text), wanted.depth, wanted.resolution, wanted.frames)
        return JSONResponse({"name": await self.work.start(scene, wanted.quality)})

    async def stop_run(self, request: Request) -> Response:
        """Stop a run."""
        self.work.stop(_Named.model_validate_json(await _body(request)).name)
        return JSONResponse({})

    async def resume_run(self, request: Request) -> Response:
        """Go on with a run."""
        await self.work.resume(_Named.model_validate_json(await _body(request)).name)
        return JSONResponse({})

    async def recording(self, request: Request) -> Response:
        """A finished recording."""
        path = _file_in(self.recordings, request.path_params["name"])
        if path is None:
            return PlainTextResponse("There is no such recording.\n", 404)
        return FileResponse(path, filename=path.name)

    async def live(self, socket: WebSocket) -> None:
        """A tab, for as long as it is open."""
        await Tab(socket, self.simulations, self.scene, self.recordings).serve()


def _file_in(folder: Path, name: str) -> Path | None:
    """A file in a folder, or below it; None if there is none, as for a name that no file can have."""
    try:
        path = (folder / name).resolve()
        return path if path.is_relative_to(folder.resolve()) and path.is_file() else None
    except (OSError, ValueError):
        return None


async def _body(request: Request) -> bytes:
    """The body of a request, if it is not too long."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > 2 * LONGEST_TEXT:
            raise PlashError("the request is too long")
    return data


async def _refused(request: Request, error: Exception) -> Response:
    text = "the request makes no sense" if isinstance(error, ValidationError) else str(error)
    return JSONResponse({"error": text}, 400)


def serve(
    scene: str,
    runs: Path,
    port: int | None,
    started: Callable[[Addresses], None],
    tabs: int = MOST,
    password: str | None = None,
) -> None:
    """Serve the studio until it is asked to end.

    Args:
        scene: Text of the scene that tabs begin with.
        runs: Folder of run folders.
        port: Of this machine; None takes the usual one, or any that is free.
        started: Called with the addresses when the studio can be used.
        tabs: Simulations at the most; further tabs wait.
        password: Of guests on the network; None serves this machine only.

    Raises:
        StorageError: The port is taken.
    """
    listening = _listening(HOST if password is None else EVERYWHERE, port)
    number = listening.getsockname()[1]
    access = Access(secrets.token_urlsafe(24), number, password)
    app = Studio(scene, runs, access, tabs).app()
    app.add_exception_handler(PlashError, _refused)
    app.add_exception_handler(ValidationError, _refused)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=LARGEST_PICTURE,
        ws_per_message_deflate=False,
        # A busy machine may take long to answer. The end of a page of this machine is seen, of another not always
        ws_ping_interval=None if password is None else 30.0,
        ws_ping_timeout=None if password is None else 90.0,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    server = uvicorn.Server(config)
    server.config.load()
    guests = f"http://{own_address()}:{number}/" if access.has_guests else ""
    started(Addresses(f"http://{HOST}:{number}/?token={access.token}", guests))
    before = signal.getsignal(signal.SIGINT)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGINT, before)


def _listening(host: str, port: int | None) -> sockets.socket:
    """A socket that listens on this machine only, or for its network."""
    for number in (PORT, 0) if port is None else (port,):
        listening = sockets.socket(sockets.AF_INET, sockets.SOCK_STREAM)
        listening.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(128)
        except OSError as error:
            listening.close()
            reason = error.strerror or str(error)
        else:
            return listening
    raise StorageError(f"port {port} of {host} cannot be used: {reason}. Choose another with --port")
