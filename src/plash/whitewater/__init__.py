"""Spray, foam and bubbles, made from the frames of a liquid (docs/whitewater.md)."""
