"""The studio: 2-D fluids in the browser while they are computed, and a viewer for runs."""
