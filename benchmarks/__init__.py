"""How fast plash is: `python -m benchmarks.run` measures, `python -m benchmarks.compare` compares two runs."""
