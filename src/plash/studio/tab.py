"""One tab of the studio: its socket, its simulation and its recording.

Everything but the simulation ends when the socket does: the reader is what the tab lives by, and what it started goes
with it. The simulation waits for a while, for the same page loaded again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from plash.studio import messages as m
from plash.studio.recording import Recording
from plash.studio.simulations import Simulation, Simulations

_MESSAGES_A_SECOND = 400.0
_BURST = 800.0
_MALFORMED, _TOO_MANY, _BROKEN = 4400, 4429, 4500
_MOST_KEPT = 200  # messages, for a simulation that has yet to start


class _RefusedError(Exception):
    """A message after which the socket is closed."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class _Allowance:
    """How many messages may come: so many a second, and some at once."""

    def __init__(self) -> None:
        self._left = _BURST
        self._then = time.monotonic()

    def spend(self) -> None:
        """Take one message off.

        Raises:
            _RefusedError: There were too many.
        """
        now = time.monotonic()
        self._left = min(_BURST, self._left + _MESSAGES_A_SECOND * (now - self._then)) - 1
        self._then = now
        if self._left < 0:
            raise _RefusedError(_TOO_MANY, f"more than {_MESSAGES_A_SECOND:.0f} messages a second")


class Tab:
    """A page and its simulation."""

    def __init__(self, socket: WebSocket, simulations: Simulations, scene: str, recordings: Path) -> None:
        self._socket = socket
        self._simulations = simulations
        self._scene = scene
        self._recordings = recordings
        self._simulation: Simulation | None = None
        self._recording: Recording | None = None
        self._is_waiting = False  # for a simulation
        self._kept: list[bytes] = []  # messages for it
        self._tasks: set[asyncio.Task[None]] = set()
        self._allowance = _Allowance()

    async def serve(self) -> None:
        """Pass messages on both ways until one side ends."""
        await self._socket.accept()
        with tempfile.TemporaryDirectory(prefix="tab-", dir=self._recordings) as folder:
            try:
                await self._read(Path(folder))
            except _RefusedError as refusal:
                await self._close(refusal.code, str(refusal))
            except (WebSocketDisconnect, ConnectionError):
                pass
            finally:
                await self._end()

    async def _read(self, folder: Path) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            self._allowance.spend()
            text, data = message.get("text"), message.get("bytes")
            try:
                if text is not None:
                    await self._take(m.message_of(text), text, folder)
                elif data is not None:
                    await self._keep_picture(data)
            except ValueError as error:
                raise _RefusedError(_MALFORMED, str(error)[:110]) from None

    async def _take(self, message: m.Message, text: str, folder: Path) -> None:
        match message:
            case m.Begin() | m.Return() if self._simulation is None and not self._is_waiting:
                self._is_waiting = True
                self._begin(self._start, message.name if isinstance(message, m.Return) else "")
            case m.Record():
                self._recording = Recording(folder, message.fps, message.format)
                self._format = message.format
            case m.StopRecording():
                self._begin(self._finish_recording)
        if self._is_waiting:
            if len(self._kept) >= _MOST_KEPT:
                raise _RefusedError(_TOO_MANY, f"more than {_MOST_KEPT} messages before the simulation begins")
            self._kept.append(text.encode())
        elif self._simulation is not None:
            await self._simulation.send(text.encode())

    async def _start(self, name: str) -> None:
        """Take a simulation: that of a name, if it is still there, else a new one, when it is the tab's turn."""
        simulation = await self._simulations.take_again(name) if name else None
        if simulation is None:
            simulation = await self._simulations.take_in_turn(self._scene, self._tell_place)
        self._simulation = simulation
        simulation.listen(self._pass_on)
        await self._tell(kind="session", name=simulation.name)
        while self._kept:
            await simulation.send(self._kept.pop(0))
        self._is_waiting = False
        await self._watch(simulation)

    async def _tell_place(self, number: int, is_full: bool) -> None:
        """Tell the page that it waits, and why."""
        await self._tell(kind="waiting", number=number, full=is_full, tabs=self._simulations.most)

    async def _pass_on(self, tag: bytes, data: bytes) -> None:
        """Send what the simulation answers; what comes when the socket is gone is lost."""
        with contextlib.suppress(WebSocketDisconnect, ConnectionError, RuntimeError):
            if tag == m.FRAME:
                await self._socket.send_bytes(data)
            else:
                await self._socket.send_text(data.decode())

    async def _watch(self, simulation: Simulation) -> None:
        """Close the socket when the simulation ends."""
        await simulation.ended()
        await self._close(_BROKEN, "the simulation ended: load this page again")

    async def _keep_picture(self, data: bytes) -> None:
        if self._recording is None:
            raise ValueError("a picture, but nothing is being recorded")
        if len(data) > m.LARGEST_PICTURE:
            raise ValueError(f"a picture of {len(data)} bytes: {m.LARGEST_PICTURE} is the most")
        await asyncio.to_thread(self._recording.add, data)

    async def _finish_recording(self) -> None:
        recording, self._recording = self._recording, None
        if recording is None:
            return
        count = recording.count
        name = f"plash_{secrets.token_hex(4)}.{self._format}"
        try:
            await asyncio.to_thread(recording.finish, self._recordings / name)
        except (ValueError, OSError) as error:
            await self._tell(kind="note", level="error", text=f"No movie was made: {error}")
            return
        await self._tell(kind="recorded", name=name, pictures=count)

    async def _tell(self, **data: Any) -> None:
        await self._socket.send_text(json.dumps(data))

    def _begin(self, work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        task = asyncio.create_task(self._quietly(work, *arguments))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _quietly(self, work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        """Do something that may outlast the socket."""
        with contextlib.suppress(WebSocketDisconnect, ConnectionError, RuntimeError):
            await work(*arguments)

    async def _close(self, code: int, reason: str) -> None:
        if self._socket.application_state == WebSocketState.CONNECTED:
            with contextlib.suppress(RuntimeError, ConnectionError):
                await self._socket.close(code, reason)

    async def _end(self) -> None:
        """Free everything that belongs to the tab; the simulation waits for the page to come back."""
        for task in list(self._tasks):
            task.cancel()
        if self._recording is not None:
            self._recording.forget()
        simulation, self._simulation = self._simulation, None
        if simulation is None:
            return
        if simulation.is_alive:
            await self._simulations.leave(simulation)
        else:
            await self._simulations.give_back(simulation)
