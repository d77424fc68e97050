"""Runs teams of AI agents that are written down in YAML: version and public names."""

__version__ = "0.1.0"

__all__ = ["__version__"]
