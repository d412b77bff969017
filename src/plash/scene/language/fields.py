"""What the models of a scene say about their parameters: order, kinds, words, quantities, limits.

Errors and the reference page are made from this, so that a parameter is described in one place only.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from plash.scene.language.units import Quantity


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The parameters of a table in the order to show them: its own, then those it shares with others."""
    names = dict.fromkeys(name for part in model.__mro__ for name in inspect.get_annotations(part))
    return {name: model.model_fields[name] for name in names if name in model.model_fields}


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models that a type may stand for, or hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in models_in(part)]


def kind_of(model: type[BaseModel]) -> str:
    """The word that picks this model where several are possible; empty where it has no such word."""
    field = model.model_fields.get("kind")
    return str(words_in(field.annotation)[0]) if field else ""


def words_in(annotation: Any) -> list[str]:
    """The words that a type allows; empty if it is not made of words."""
    parts = get_args(annotation)
    return [word for part in parts for word in ([part] if isinstance(part, str) else words_in(part))]


def marks_in(field: FieldInfo) -> Iterator[Any]:
    """Everything said about a field's type, or that of its entries: quantity, limits."""
    yield from _marks([*field.metadata, field.annotation])


def quantity_of(field: FieldInfo | None) -> Quantity | None:
    """The quantity that a field, or each of its entries, is; None for words, tables and switches."""
    marks = marks_in(field) if field else ()
    return next((mark for mark in marks if isinstance(mark, Quantity)), None)


def _marks(parts: Iterable[Any]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, FieldInfo):
            yield from _marks(part.metadata)
        elif get_args(part):
            yield from _marks(get_args(part))
        else:
            yield part
