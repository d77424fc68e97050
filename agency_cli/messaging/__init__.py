"""How agents reach each other: the messages that flows allow, and how they are delivered."""

from agency_cli.messaging.delivery import Recipient
from agency_cli.messaging.send_message import TOOL_NAME, send_message_tool

__all__ = ["TOOL_NAME", "Recipient", "send_message_tool"]
