"""What is wrong with a scene, in words: from a failed validation to a list of places and sentences.

Pydantic finds the faults; here each becomes one sentence with the value as it was written, the limit with its
unit, and the nearest valid name. No table or key is known here by name: all is read from the models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from plash.scene.language.fields import fields_of, kind_of, models_in, quantity_of, words_in
from plash.scene.language.words import Finding, Location, a, nearest, shown

MOST_REPORTED = 100


@dataclass(frozen=True)
class Fault:
    """One thing pydantic objects to: where, in which table, the field there if any, and the value."""

    place: Location
    table: type[BaseModel]
    field: FieldInfo | None
    value: object
    context: Mapping[str, Any]
    text: str


def findings(model: type[BaseModel], error: ValidationError, data: object, *, keep_tags: bool = False) -> list[Finding]:
    """Everything a failed validation of ``data`` found: the places, and a sentence for each.

    Pydantic's places hold the kind of a shape as a step of its own; ``keep_tags`` leaves it in.
    """
    # A list is called too short as well when its entries were refused; then it is not
    details = error.errors(include_url=False)
    around = {detail["loc"][:depth] for detail in details for depth in range(len(detail["loc"]))}
    details = [detail for detail in details if not (detail["type"] == "too_short" and detail["loc"] in around)]
    found: list[Finding] = []
    for detail in details[:MOST_REPORTED]:
        place, table, field = _look_up(model, detail["loc"])
        value = _value_at(data, place, detail["input"])
        fault = Fault(place, table, field, value, detail.get("ctx", {}), detail["msg"])
        sentence = _SENTENCES.get(detail["type"], _other)(fault)
        found.append((detail["loc"] if keep_tags else place, sentence))
    if len(details) > MOST_REPORTED:
        found.append(((), f"and {len(details) - MOST_REPORTED} more problems"))
    return found


def _look_up(model: type[BaseModel], location: Location) -> tuple[Location, type[BaseModel], FieldInfo | None]:
    """Follow a location through the models: the place without tags, and the table and field it ends in."""
    place: list[int | str] = []
    options = [model]
    table, field = model, None
    for step in location:
        tagged = [option for option in options if len(options) > 1 and kind_of(option) == step]
        if tagged:
            options = tagged
            continue
        place.append(step)
        if isinstance(step, str):
            table = options[0] if options else table
            field = table.model_fields.get(step)
            options = models_in(field.annotation) if field else []
    return tuple(place), table, field


def _value_at(data: Any, place: Location, fallback: object) -> object:
    """The value as it was written, before any conversion."""
    for step in place:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return fallback
    return data


def _limit(words: str, name: str) -> Callable[[Fault], str]:
    def sentence(fault: Fault) -> str:
        quantity = quantity_of(fault.field)
        unit = f" {quantity.unit}" if quantity and quantity.unit else ""
        return f"{shown(fault.value)} is out of range: it must be {words} {fault.context[name]:.12g}{unit}"

    return sentence


def _must_be(what: str) -> Callable[[Fault], str]:
    return lambda fault: f"{shown(fault.value)} is the wrong type: it must be {what}"


def _not_a_list(fault: Fault) -> str:
    if isinstance(fault.value, Mapping):
        return "is one table: it must be a list of tables, each in double brackets [[ ]]"
    return _must_be("a list")(fault)


def _not_a_table(fault: Fault) -> str:
    if isinstance(fault.value, list):
        return "is a list: it must be one table, in single brackets [ ]"
    return _must_be("a table")(fault)


def _unknown_key(fault: Fault) -> str:
    explain = getattr(fault.table, "why_unknown", None)
    if explain is not None and explain(fault.place[-1]):
        return str(explain(fault.place[-1]))
    valid = fields_of(fault.table)
    is_table = isinstance(fault.value, Mapping | list)
    what = "unknown table" if is_table else f"unknown key, set to {shown(fault.value)}"
    return f"{what}.{nearest(fault.place[-1], valid)} Valid here: {', '.join(valid)}"


def _missing(fault: Fault) -> str:
    quantity = quantity_of(fault.field)
    what = f"it must be given, as {a(quantity.name)}" if quantity and quantity.name else "it must be given"
    return f"is missing: {what}. {fault.field.description if fault.field else ''}".rstrip(" .") + "."


def _unknown_word(fault: Fault) -> str:
    words = words_in(fault.field.annotation if fault.field else None)
    return f"{shown(fault.value)} is not one of {', '.join(words)}.{nearest(fault.value, words)}"


def _unknown_kind(fault: Fault) -> str:
    models = models_in(fault.field.annotation if fault.field else None)
    kinds = [kind_of(model) for model in models]
    if "tag" not in fault.context:
        return f"{shown(fault.value)} has no kind: set kind to one of {', '.join(kinds)}"
    tag = fault.context["tag"]
    return f"kind = {shown(tag)} is not one of {', '.join(kinds)}.{nearest(tag, kinds)}"


def _too_short(fault: Fault) -> str:
    return f"{shown(fault.value)} is too short: its length must be at least {fault.context['min_length']}"


def _other(fault: Fault) -> str:
    return f"{shown(fault.value)} is not valid: {fault.text}"


_SENTENCES: dict[str, Callable[[Fault], str]] = {
    "refused": lambda fault: str(fault.context["sentence"]),
    "greater_than": _limit("above", "gt"),
    "greater_than_equal": _limit("at least", "ge"),
    "less_than": _limit("below", "lt"),
    "less_than_equal": _limit("at most", "le"),
    "extra_forbidden": _unknown_key,
    "missing": _missing,
    "literal_error": _unknown_word,
    "union_tag_invalid": _unknown_kind,
    "union_tag_not_found": _unknown_kind,
    "model_type": _not_a_table,
    "model_attributes_type": _must_be("a shape: a table with a kind"),
    "tuple_type": _not_a_list,
    "callable_type": _must_be('a function: in a file its name, such as "waves:height"'),
    "too_short": _too_short,
}
