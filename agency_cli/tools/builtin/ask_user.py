"""The built-in `ask_user` tool: a question to the person who started the run."""

from __future__ import annotations

from agents import FunctionTool, function_tool

from agency_cli.foreign import ToolRefused
from agency_cli.manifest import AskUserTool
from agency_cli.run_context import answer_of_person, current_call


def ask_user_tools(spec: AskUserTool) -> list[FunctionTool]:
    """Return `ask_user`."""

    async def ask_user(question: str, choices: list[str] | None = None) -> str:
        """Ask the person who started this run, and wait for the answer.

        Args:
            question: What to ask.
            choices: Answers to choose from; null where any answer will do.
        """
        del question, choices  # They are in the arguments of the call, which the person is shown.
        call = current_call.get()
        decided = await answer_of_person(call.node, call.subject, call.arguments)
        if decided.approved:
            return decided.answer
        reason = f": {decided.reason}" if decided.reason else ""
        raise ToolRefused(f"the person did not answer{reason}; go on without it")

    return [
        function_tool(ask_user, description_override=spec.description, failure_error_function=None)
    ]
