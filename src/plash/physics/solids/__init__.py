"""Bodies that liquid cannot enter: as whole cells or through the cells they cut, at rest or moving."""
