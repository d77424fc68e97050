"""A message that got no answer."""

from __future__ import annotations


class Undelivered(Exception):
    """Its text tells the sending model what happened and what to do; the run goes on."""
