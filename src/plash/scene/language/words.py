"""How a scene speaks to people: values as they stand in a file, places in it, the nearest valid name.

Also the errors that validators raise; each carries a finished sentence.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

Location = tuple[int | str, ...]
Finding = tuple[Location, str]

LONGEST_SHOWN = 60


def nearest(name: object, valid: Iterable[str]) -> str:
    """A sentence that names the valid word that begins so, or is closest to a misspelt one; empty if there is none.

    >>> nearest("wather", ["water", "milk"]), nearest("mil", ["milky_way", "mile", "milk"])
    (' Did you mean "water"?', ' Did you mean "mile"?')
    """
    if not isinstance(name, str) or len(name) > LONGEST_SHOWN:
        return ""
    by_lower_case = {word.lower(): word for word in valid}
    begun = [word for word in by_lower_case if len(name) > 1 and word.startswith(name.lower())]
    close = [min(begun, key=len)] if begun else difflib.get_close_matches(name.lower(), by_lower_case, 1, 0.55)
    return f' Did you mean "{by_lower_case[close[0]]}"?' if close else ""


def shown(value: object, depth: int = 0) -> str:
    """A value as it would stand in a scene file, cut short if long or nested deep.

    >>> shown("12 cm"), shown(True), shown([0, 1.5]), shown({"kind": "box"})
    ('"12 cm"', 'true', '[0, 1.5]', 'a table')
    """
    if isinstance(value, str):
        text = json.dumps(value[: LONGEST_SHOWN + 1], ensure_ascii=not value.isprintable())
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, Mapping):
        text = "a table"
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(shown(item, depth + 1) for item in value[:9])}]" if depth < 3 else "[...]"
    elif isinstance(value, BaseModel):
        text = a(type(value).__name__)
    elif isinstance(value, int) and value.bit_length() > 150:
        text = f"a whole number of {value.bit_length()} bits"
    elif callable(value):
        text = f"the function {getattr(value, '__name__', type(value).__name__)}"
    else:
        text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def key_of(location: Location) -> str:
    """A place in the scene as people write it.

    >>> key_of(("solid", 1, "shape", "radius"))
    'solid[1].shape.radius'
    """
    key = ""
    for part in location:
        if isinstance(part, int):
            key += f"[{part}]"
        else:
            name = part if re.fullmatch(r"[\w-]{1,60}", part) else shown(part)
            key += f".{name}" if key else name
    return key


def a(noun: str) -> str:
    """A noun with its article.

    >>> a("angle"), a("length")
    ('an angle', 'a length')
    """
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def refusal(sentence: str) -> PydanticCustomError:
    """An error for a validator to raise."""
    return PydanticCustomError("refused", "{sentence}", {"sentence": sentence})


def refusal_at(key: str, sentence: str) -> ValidationError:
    """An error for a validator of a whole table to raise about one of its keys."""
    return refusals([((key,), sentence)])


def refusals(findings: Sequence[Finding]) -> ValidationError:
    """Several errors for a validator to raise at once, at places relative to the value it checks."""
    return ValidationError.from_exception_data(
        "scene", [InitErrorDetails(type=refusal(text), loc=place, input=None) for place, text in findings]
    )
