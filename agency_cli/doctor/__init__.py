"""What a machine lacks for an agency: found without a model call, and without running anything."""

from agency_cli.doctor.case import Case, ServerTrial
from agency_cli.doctor.finding import Finding
from agency_cli.doctor.needs import examine

__all__ = ["Case", "Finding", "ServerTrial", "examine"]
