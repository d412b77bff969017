"""The scene language: units, problems with file and line, reading, writing, overrides, the reference page."""
