"""What the models of a scene say about their parameters: order, kinds, words, quantities, limits.

Errors and the reference page are made from this, so that a parameter is described in one place only.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from keyword import iskeyword
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from plash.scene.language.units import Quantity

KEYS = "Args:"  # what heads the keys in the docstring of a model


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


def documented(model: type[BaseModel]) -> str:
    """What a model says of itself, with a line for each key: its meaning, unit and default, for `help` and editors."""
    rows = []
    for name, field in fields_of(model).items():
        if name == "kind":
            continue
        quantity = quantity_of(field)
        unit = f" In {quantity.unit}." if quantity is not None and quantity.unit else ""
        rows.append(f"    {name}: {(field.description or '').rstrip('.')}.{unit}{_default(field)}")
    own = inspect.cleandoc(summary_of(model))
    return "\n".join([own, *(["", KEYS, *rows] if rows else []), ""])


def signature_of(model: type[BaseModel]) -> inspect.Signature:
    """How a model is called, as `help` and editors show it: its keys by name, those that are required first."""
    fields = {name: field for name, field in fields_of(model).items() if name != "kind" and not iskeyword(name)}
    first = sorted(fields, key=lambda name: not fields[name].is_required())
    empty = inspect.Parameter.empty
    defaults = {name: empty if fields[name].is_required() else fields[name].default for name in first}
    kind = inspect.Parameter.KEYWORD_ONLY
    keys = [inspect.Parameter(name, kind, default=_as_shown(defaults[name])) for name in first]
    others = any(map(iskeyword, model.model_fields))  # no parameter can be called so, but a key can
    rest = [inspect.Parameter("keys", inspect.Parameter.VAR_KEYWORD)] if others else []
    return inspect.Signature([*keys, *rest])


class _Defaults:
    """Stands for a table with all its defaults in a signature."""

    def __repr__(self) -> str:
        return "..."


_DEFAULTS = _Defaults()


def _as_shown(default: Any) -> Any:
    return _DEFAULTS if isinstance(default, BaseModel) else default


def summary_of(model: type[BaseModel]) -> str:
    """What a model says of itself, without its keys."""
    return (model.__doc__ or "").partition(f"\n\n{KEYS}\n")[0]


def _default(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    said = extra.get("default_text") if isinstance(extra, dict) else None
    if field.is_required() and said is None:
        return " Required."
    if said is None and (field.default is None or isinstance(field.default, BaseModel | tuple)):
        return ""
    return f" Default: {field.default if said is None else said}."


def _marks(parts: Iterable[Any]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, FieldInfo):
            yield from _marks(part.metadata)
        elif get_args(part):
            yield from _marks(get_args(part))
        else:
            yield part
