"""The terms of stable fluids, in plain arrays over a closed box."""
