"""What belongs to one run: who works on what, where in the call path, and who is told of it.

Definitions (manifest, agents, tools) never change after building. Everything that changes lives
in a `RunContext`, and code inside a run finds its place there through `current_frame`: each tool
call runs in a task of its own, tasks copy their context, so branches never meet.
"""

from agency_cli.run_context.approvals import Answer, Approvals, Ask, Subject, call_name
from agency_cli.run_context.clocks import Clock
from agency_cli.run_context.context import Keep, RunContext, Watch, keep_nothing, now
from agency_cli.run_context.frames import Attempts, Frame, current_frame
from agency_cli.run_context.gates import answer_of_person, may_begin, refusal_of
from agency_cli.run_context.guards import AgentGuards, Guard, Look
from agency_cli.run_context.memory import Conversation, Memory, RunMemory
from agency_cli.run_context.nodes import (
    AgentWork,
    OpenNode,
    ToolCall,
    agent_at_work,
    current_call,
    end_all_nodes,
    open_node,
)
from agency_cli.run_context.past import PROVIDER_FAILED, Past, PastResult
from agency_cli.run_context.queues import PairQueues, Place, WouldDeadlock

__all__ = [
    "PROVIDER_FAILED",
    "AgentGuards",
    "AgentWork",
    "Answer",
    "Approvals",
    "Ask",
    "Attempts",
    "Clock",
    "Conversation",
    "Frame",
    "Guard",
    "Keep",
    "Look",
    "Memory",
    "OpenNode",
    "PairQueues",
    "Past",
    "PastResult",
    "Place",
    "RunContext",
    "RunMemory",
    "Subject",
    "ToolCall",
    "Watch",
    "WouldDeadlock",
    "agent_at_work",
    "answer_of_person",
    "call_name",
    "current_call",
    "current_frame",
    "end_all_nodes",
    "keep_nothing",
    "may_begin",
    "now",
    "open_node",
    "refusal_of",
]
