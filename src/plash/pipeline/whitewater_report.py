"""What a run's report tells of spray, foam and bubbles."""

from __future__ import annotations

from plash.pipeline.stages.stage import Inputs
from plash.pipeline.stages.whitewater import WHITEWATER
from plash.whitewater.motes import KINDS


def whitewater_numbers(inputs: Inputs) -> list[tuple[str, str, str]]:
    """Name, value and explanation of the motes in the last frame that has any file of them; nothing without."""
    wanted = WHITEWATER.wanted(inputs.scene)
    made = [frame for frame in wanted if inputs.file(WHITEWATER, frame).written is not None]
    if not made:
        return []
    motes = inputs.read(WHITEWATER, made[-1])
    counts, tally = motes.counts, motes.tally
    alive = ", ".join(f"{counts[name]:,} {name}" for name in KINDS)
    fate = f"{tally.born:,} born = {len(motes):,} in frame {made[-1]} ({alive})"
    fate += f" + {tally.burst:,} burst + {tally.landed:,} landed + {tally.left:,} left"
    if tally.refused:
        fate += f"; {tally.refused:,} more had no room under whitewater.most"
    return [("Whitewater", f"{len(motes):,} motes", fate)]
