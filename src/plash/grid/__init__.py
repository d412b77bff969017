"""Where numbers live: sparse tiles, fields on cells and faces, sampling, differences, extrapolation."""
