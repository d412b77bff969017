"""The time steps: state, time step, ledger, the liquid solver, and the one place that builds them."""
