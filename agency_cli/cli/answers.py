"""The options that answer, for a whole run, when an agent needs a person to agree."""

from __future__ import annotations

from typing import Annotated

import typer

YesOption = Annotated[
    bool, typer.Option("--yes", help="Agree to every call that needs approval; `deny` stays.")
]
DenyOption = Annotated[bool, typer.Option("--deny", help="Refuse every call that needs approval.")]
