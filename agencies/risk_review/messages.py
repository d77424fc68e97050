"""Messages of the risk review."""

from typing import Literal

from pydantic import BaseModel, Field

from agency_cli import SendMessage

HOUSE_RULES = {
    "minor": "House rules: one paragraph, no names.",
    "major": "House rules: a summary of two sentences first; name the owner of each measure.",
    "critical": "House rules: begin with what must be decided today, and by whom.",
}


class ReportRequest(SendMessage):
    """Ask the reporter for a report. Put all findings that you have into the message."""

    tool_name = "request_report"

    class ExtraParams(BaseModel):
        severity: Literal["minor", "major", "critical"] = Field(
            description="How grave the gravest risk is."
        )

    def compose(self, message, params, sender, recipient):
        return f"{HOUSE_RULES[params.severity]}\n\n{message}"

    def reply(self, output, params, sender, recipient):
        return f"Report ({params.severity}):\n\n{output}"
