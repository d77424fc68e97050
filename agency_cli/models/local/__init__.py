"""The embedded model `local`: a small model in this process, for a machine with no key."""

from agency_cli.models.local.model import NOTICE, LocalModel
from agency_cli.models.local.weights import find_weights

__all__ = ["NOTICE", "LocalModel", "find_weights"]
