"""Two states of an agency: what was added, removed and changed, and what that newly permits."""

from agency_cli.comparing.changes import Comparison, Difference, compare
from agency_cli.comparing.permissions import Permission
from agency_cli.comparing.picture import picture_of
from agency_cli.comparing.sides import Side

__all__ = ["Comparison", "Difference", "Permission", "Side", "compare", "picture_of"]
