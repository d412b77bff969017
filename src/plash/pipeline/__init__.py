"""Runs: the frame loop."""
