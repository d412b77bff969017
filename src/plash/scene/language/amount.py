"""How much a scene may say: so many values in all. More is refused before any of it is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from plash.scene.language.words import Finding, Location

MOST_VALUES = 250_000
DEEPEST_KEY = 32

_VALUE = re.compile(r"[=,\[]")
# Starts where a name does, so that no text takes long to search
_NAME = r"""(?:[\w-]{1,200}|"[^"\n]{0,200}"|'[^'\n]{0,200}')[ \t]*\.[ \t]*"""
_DEEP_KEY = re.compile(rf"""(?<![\w"'-])(?:{_NAME}){{{DEEPEST_KEY}}}""", re.ASCII)

_Node = tuple[Any, Any] | None  # the node around it, and the key in that


def too_much_text(text: str) -> tuple[str, int] | None:
    """What makes a TOML text too much to read, and on which line; every value follows one of three signs."""
    if sum(text.count(sign) for sign in "=,[") > MOST_VALUES:
        places = (match.start() for match in _VALUE.finditer(text))
        end = next(place for count, place in enumerate(places) if count == MOST_VALUES)
        return f"{MOST_VALUES} values are passed here: a scene may have no more", text.count("\n", 0, end) + 1
    deep = _DEEP_KEY.search(text)
    if deep:
        return f"a key has more than {DEEPEST_KEY} names with dots between them", text.count("\n", 0, deep.start()) + 1
    return None


def too_much_data(data: object) -> list[Finding]:
    """Where plain data, or models in it, hold too many values: in one list or table, or in all."""
    seen = 0
    level: list[tuple[_Node, object]] = [(None, data)]
    while level:
        node, item = level.pop()
        parts = _parts(item)
        seen += len(parts)
        if len(parts) > MOST_VALUES:
            return [(_place(node), f"has {len(parts)} entries: a scene may have {MOST_VALUES} in all")]
        if seen > MOST_VALUES:
            return [((), f"has more than {MOST_VALUES} values in all, or contains itself: a scene may have no more")]
        level += [((node, key), part) for key, part in _pairs(parts) if isinstance(part, _HOLDERS)]
    return []


_HOLDERS = (Mapping, list, tuple, BaseModel)


def _parts(item: object) -> Mapping[Any, object] | list[object] | tuple[object, ...]:
    if isinstance(item, BaseModel):
        return item.__dict__
    return item if isinstance(item, Mapping | list | tuple) else ()


def _pairs(parts: Mapping[Any, object] | list[object] | tuple[object, ...]) -> Iterable[tuple[Any, object]]:
    return parts.items() if isinstance(parts, Mapping) else enumerate(parts)


def _place(node: _Node) -> Location:
    place: list[int | str] = []
    while node is not None:
        node, key = node
        place.append(key if isinstance(key, int) else str(key))
    return tuple(reversed(place))
