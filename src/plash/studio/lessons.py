"""Lessons: what is to be read, done and answered, one file each.

A step of a lesson has a text; it may open a scene, change settings, begin a comparison and choose a view; then it asks
for something to be done, and for an answer. The page goes on when both are done.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from plash.studio.messages import VIEWS

Tool = Literal["push", "pour", "drain", "draw", "erase", "heat", "box", "disc"]
Tab = Literal["view", "settings", "inside", "charts"]
Text = Annotated[str, Field(min_length=1, max_length=1200)]
_Settings = dict[str, bool | int | float | str]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Do(_Part):
    """Something to be done; all that is named must hold.

    Attributes:
        view: That is chosen.
        stage: Of a step, that was taken last, or was taken while this was asked for.
        steps: That were taken since this was asked for.
        seconds: Of simulated time, that have passed.
        setting: Whose value is `word`, or from `least` to `most`.
        word: Of the setting.
        least: Of the setting.
        most: Of the setting.
        tool: That was used.
        tab: Of the panel, that is open.
        probe: Whether values were read at a point.
    """

    view: Literal[VIEWS] | None = None  # type: ignore[valid-type]
    stage: str | None = None
    steps: Annotated[int, Field(ge=1, le=100)] | None = None
    seconds: Annotated[float, Field(gt=0, le=10)] | None = None
    setting: str | None = None
    word: str | None = None
    least: float | None = None
    most: float | None = None
    tool: Tool | None = None
    tab: Tab | None = None
    probe: bool = False


class Answer(_Part):
    """An answer to choose, and what is said of it."""

    text: Text
    feedback: Text
    right: bool = False


class Question(_Part):
    """A question with one right answer."""

    text: Text
    answers: Annotated[tuple[Answer, ...], Field(min_length=2, max_length=5)]

    @model_validator(mode="after")
    def _one_is_right(self) -> Question:
        if sum(answer.right for answer in self.answers) != 1:
            raise ValueError(f"{self.text!r} needs exactly one right answer")
        return self


class Step(_Part):
    """A step of a lesson."""

    text: Text
    preset: str | None = None
    settings: _Settings = {}
    compare: _Settings = {}
    view: Literal[VIEWS] | None = None  # type: ignore[valid-type]
    do_text: Text
    do: Do
    question: Question


class Lesson(_Part):
    """A lesson."""

    name: str
    title: Text
    about: Text
    minutes: Annotated[int, Field(ge=1, le=60)]
    step: Annotated[tuple[Step, ...], Field(min_length=1)]


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """The lessons in their order."""
    folder = resources.files("plash").joinpath("studio", "lessons")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return tuple(Lesson(name=file.name[2:-5], **tomllib.loads(file.read_text("utf-8"))) for file in files)


def lessons() -> list[dict[str, Any]]:
    """The lessons as the page takes them."""
    return [lesson.model_dump(exclude_none=True, mode="json") for lesson in all_lessons()]
