"""Run every validation at full size and rewrite docs/validation.md with its plots: python -m validation [--quick]."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from validation import report

DOCS = Path(__file__).parents[1] / "docs"


def main(names: list[str]) -> None:
    """Run the cases named, or all; the page is rewritten only when all were run. Quick leaves out the longest runs.

    Runs are kept in out/validation, so that a validation that was stopped goes on where it was."""
    quick = "--quick" in names
    names = [name for name in names if name != "--quick"]
    unknown = set(names) - set(report.CASES)
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}. There are: {', '.join(report.CASES)}")
    sections = []
    for name, case in report.CASES.items():
        if not names or name in names:
            print(f"{name} ...", flush=True)
            run = partial(report.volume, quick=quick) if name == "volume" else case
            sections.append(run(DOCS / "pictures").rstrip() + "\n")
            print(sections[-1], flush=True)
    if not names:
        (DOCS / "validation.md").write_text("\n".join([report.INTRODUCTION, *sections]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
