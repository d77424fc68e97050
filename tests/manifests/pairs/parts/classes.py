"""Classes of the pairs."""

from pydantic import BaseModel

from agency_cli import SendMessage


class Review(SendMessage):
    """Ask for a review."""

    urgent: bool = False


class Delivery(BaseModel):
    """What is delivered."""

    text: str
