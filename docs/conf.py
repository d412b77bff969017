"""The site: `make docs` builds it from these pages and from the docstrings of the package."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import plash

project = "plash"
author = "the authors of plash"
release = plash.__version__
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["pictures/**"]
nitpicky = True
smartquotes = False  # what is in quotes is typed as it stands

# Pages are Markdown that reads as well in the repository: headings are link targets, as they are there
myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["myst.strikethrough"]

# From docstrings, in Google's style
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True

# Types that have no page here: those of other packages, and a few that the package keeps to itself
_OTHERS = r"pathlib|numpy|collections\.abc|types|typing|pydantic|PIL|matplotlib"
_SHORT = r"Path|Axes|Image|NoneType|FieldInfo|PydanticUndefined|dict\[str"  # as they are written in signatures
_OWN = r"files|grid|physics|scene\.(shapes|poses)|pipeline\.(open_run|stages)"
_OWN += r"|solvers\.(stored|solver|step_stage|frame_pressure)"
nitpick_ignore_regex = [(r"py:.*", rf"(({_OTHERS})\..*|{_SHORT}|plash\.({_OWN})\..*)")]

html_theme = "furo"
html_title = "plash"
html_static_path = ["site"]
html_css_files = ["plash.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1a5fa8", "color-brand-content": "#1a5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7ab8f5", "color-brand-content": "#7ab8f5"},
    "navigation_with_keys": True,
}

_ROOT = Path(__file__).parents[1]
# Files of the repository that have a page here
_PAGES = {"../README.md": "index.md", "../CONTRIBUTING.md": "contributors.md", "../CHANGELOG.md": "changes.md"}
_CODE_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")


def _as_rst(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Docstrings name code as Markdown does; reStructuredText wants two marks."""
    lines[:] = [_CODE_SPAN.sub(r"``\1``", re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", line)) for line in lines]


def _as_page(app: Any, name: str, text: list[str]) -> None:
    """Link targets are HTML in the repository, where Markdown has no other; and some files are pages here."""
    text[0] = re.sub(r'<a id="([^"]+)"></a>', r"[]{#\1}", text[0])
    text[0] = re.sub(r"\[(?:docs/)?(\w+)\.md\]\(\1\.md(#[\w-]+)?\)", r"[](\1.md\2)", text[0])  # by its title
    for file, page in _PAGES.items():
        text[0] = text[0].replace(f"]({file})", f"]({page})").replace(f"]({file}#", f"]({page}#")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _as_page)
    app.connect("autodoc-process-docstring", _as_rst)
