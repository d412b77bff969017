"""Disk: the run folder, its manifest, frames, checkpoints and the formats they are written in."""
