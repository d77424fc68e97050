"""How agents reach each other: the messages that flows allow, and how they are delivered."""

from agency_cli.messaging.conversations import USER, ConversationSession
from agency_cli.messaging.groups import message_tools
from agency_cli.messaging.handoffs import handoffs_of

__all__ = ["USER", "ConversationSession", "handoffs_of", "message_tools"]
