"""Names that manifests may hold, and that drawings must survive."""

from __future__ import annotations

import random
import unicodedata

from agency_cli.graph import Arrow, Box, Diagram, Load

ODD = [
    'say "hi"',
    "[square] {curly} (round) |pipe|",
    "<b>bold</b> & co; #1 #quot; &amp; &#65;",
    "`code` *star* __u__ $x$ %% no comment",
    "back\\slash \\N \\G \\n end\\",
    "总经理 👩\u200d💻 \uff21\uff22",
    "line\nbreak\r\ttab",
    "end",
    "subgraph",
    "graph TD",
    "1. first",
    "- item",
    "# heading",
    "x" * 60,
    "ÀÉ ß ø Ž ﬁ \u200b\u202e\u0301",
    "\ufffe\uffff\x00\x1b[31m",
    "click a1 href 'https://example.org'",
    "]]>--><!--",
    "${x} {{y}} %{z}",
    "</svg><script>alert(1)</script>",
]


def generated(seed: int) -> str:
    """Return a name of random signs, of any kind that text has."""
    dice = random.Random(seed)  # noqa: S311 - no secret
    pools = ['"#&<>%`*\\;$|[](){}', "abcXYZ 019._-/:'", "总助理日本語한글", "👩💻🇩🇪✅", "ÀßøŽ"]
    signs = [dice.choice(dice.choice(pools)) for _ in range(dice.randint(1, 60))]
    signs += [chr(dice.randrange(0x20, 0x2FFF)) for _ in range(dice.randint(0, 6))]
    dice.shuffle(signs)
    text = "".join(sign for sign in signs if unicodedata.category(sign) not in {"Cs", "Cn"})
    return text or "x"


def named(name: str) -> Diagram:
    """Return a diagram in which everything that a person may name has this name."""
    load = Load(3, 1, 2.5, None, f"3 calls, {name}")
    boxes = (
        Box("boss", name, description=name, model=name, model_id=name, tools=(name,), entry=True),
        Box("worker", name, fallbacks=(name,), load=load),
        Box("lone", "lone"),
    )
    arrows = (
        Arrow("boss", "worker", params=(name,)),
        Arrow("worker", "boss", "handoff", load=load),
        Arrow("boss", "lone", message_class=f"m.py:{name}", change="added"),
    )
    return Diagram(name, boxes, arrows, subtitle=name)
