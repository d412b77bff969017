"""Signed distance: shapes, redistancing."""
