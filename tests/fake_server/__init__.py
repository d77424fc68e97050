"""A local server that speaks OpenAI's two APIs, told by rules what to answer.

with FakeServer() as server:
    server.when(instructions="You are the CEO", turn=0).calls("send_message", message="Build it")
    server.when(instructions="You are the CEO").says("It is built.")
"""

from fake_server.counting import Counted, Exchange
from fake_server.model_request import Message, ModelRequest, OfferedTool
from fake_server.replies import Answer, Fault, Reply, TokenUsage, ToolCall
from fake_server.rules import Conditions, Rule, Script
from fake_server.server import FakeServer

__all__ = [
    "Answer",
    "Conditions",
    "Counted",
    "Exchange",
    "FakeServer",
    "Fault",
    "Message",
    "ModelRequest",
    "OfferedTool",
    "Reply",
    "Rule",
    "Script",
    "TokenUsage",
    "ToolCall",
]
