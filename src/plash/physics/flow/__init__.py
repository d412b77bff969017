"""Where liquid comes from and where it goes: inlets, sources, sinks, pumps."""
