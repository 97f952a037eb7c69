"""The version of this package, as servers see it."""

__version__ = "0.1.0"
