"""The version of this package, in one place that imports nothing."""

VERSION = "0.2.0.dev0"
