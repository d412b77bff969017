"""The built-in renderer."""
