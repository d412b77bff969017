"""A page without a browser and without a server: it listens to a session in this process."""

import json
from typing import Any

from plash.studio import messages as m
from plash.studio.session import Session

from .conftest import SCENE


class Page:
    """The other end of a session."""

    def __init__(self, text: str = SCENE) -> None:
        self.frames: list[Any] = []
        self.texts: list[dict[str, Any]] = []
        self.session = Session(text, self.receive)
        self.say("start")
        self.work()

    def receive(self, kind: bytes, data: bytes) -> None:
        if kind == m.FRAME:
            self.frames.append(m.frame_of(data))
        else:
            self.texts.append(json.loads(data))

    def say(self, kind: str, **data) -> None:
        self.session.take(m.message_of(json.dumps({"kind": kind, **data})))

    def work(self, times: int = 1) -> None:
        for _ in range(times):
            self.session._shown = self.session._next_wall = 0.0  # as if a sixtieth of a second had passed
            self.session.work()

    def seen(self) -> None:
        self.say("seen", frame=self.frames[-1][0]["number"])

    def last(self, kind: str) -> dict:
        return next(text for text in reversed(self.texts) if text["kind"] == kind)

    @property
    def header(self) -> dict:
        return self.frames[-1][0]
