"""The version of this package, in one place that imports nothing."""

VERSION = "0.1.0"
