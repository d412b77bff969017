"""The process of one tab's simulation, since a process can run the kernels of one simulation only.

It reads messages from its standard input and writes answers to its standard output, each preceded by its length; it
ends when its input does.
"""

from __future__ import annotations

import math
import os
import queue
import struct
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

from plash.pipeline.compiling import watched_compilation
from plash.scene.language.read import parse_scene
from plash.studio import messages as m
from plash.studio.controls import with_value
from plash.studio.drawing import drawn, next_wall
from plash.studio.kinds import live
from plash.studio.presets import FIRST, preset_text
from plash.studio.session import Session


def main() -> None:
    """Serve one tab until the standard input ends."""
    source = sys.stdin.buffer
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not disturb the answers
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(source, inbox), daemon=True).start()

    def send(kind: bytes, data: bytes) -> None:
        target.write(struct.pack("<I", len(data) + 1) + kind + data)
        target.flush()

    def tell(kernels: int, seconds: float, is_busy: bool) -> None:
        if is_busy:
            send(m.TEXT, b'{"kind": "compiling"}')

    with watched_compilation(tell):
        _serve(inbox, send)


def _serve(inbox: queue.SimpleQueue[bytes], send: Callable[[bytes, bytes], None]) -> None:
    _get_ready(send)
    session = Session(inbox.get().decode(), send)
    wait = math.inf
    while True:
        for data in _waiting(inbox, wait):
            session.take(m.message_of(data))
        wait = session.work()


def _get_ready(send: Callable[[bytes, bytes], None]) -> None:
    """Load the kernels that a first step, a first wall and a first drop need, or compile them, once for all."""
    send(m.TEXT, b'{"kind": "preparing"}')
    scene = with_value(parse_scene(preset_text(FIRST), "scene"), "domain.resolution", 32)
    for simulation in (live(scene), live(drawn(scene, next_wall(scene), (0.6, 0.1), (0.6, 0.5), 0.05))):
        simulation.advance(0.01)
        simulation.push(0.2, 0.2, 1.0, 0.0, 0.1)
        simulation.pour(1.0, 0.5, 0.1)
        simulation.advance(0.02)
        for view in simulation.views:
            simulation.arrays(view, arrows=True)
    send(m.TEXT, b'{"kind": "ready"}')


def _waiting(inbox: queue.SimpleQueue[bytes], wait: float) -> list[bytes]:
    """Every message that is there, after waiting for the first one for a while."""
    found = []
    try:
        found.append(inbox.get(timeout=None if math.isinf(wait) else wait) if wait > 0 else inbox.get_nowait())
        while True:
            found.append(inbox.get_nowait())
    except queue.Empty:
        return found


def _read(source: BinaryIO, inbox: queue.SimpleQueue[bytes]) -> None:
    """Pass messages on; end the process when there will be none any more."""
    while True:
        head = source.read(4)
        if len(head) < 4:
            os._exit(0)
        inbox.put(source.read(struct.unpack("<I", head)[0]))


if __name__ == "__main__":
    main()
