"""plash: a liquid from a short scene file."""
