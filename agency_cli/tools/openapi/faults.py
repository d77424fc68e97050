"""Why a document, or one of its operations, cannot be used; each text says what to do."""

from __future__ import annotations

from agency_cli.problem_codes import ProblemCode


class Unusable(Exception):
    """What the manifest says of the service cannot be done.

    Attributes:
        code: Of the problem.
        place: Keys and indexes below the tool in the manifest.
    """

    def __init__(self, message: str, *, code: ProblemCode, place: tuple[str | int, ...]) -> None:
        self.code = code
        self.place = place
        super().__init__(message)


class BrokenDocument(Unusable):
    """The document is there, and is not what it should be."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="broken-openapi", place=("openapi",))


class NotFetched(Exception):
    """A document's server cannot be reached, or does not give it."""


class NoTool(Exception):
    """An operation that no tool can be made of, though the rest of its document may be sound."""
