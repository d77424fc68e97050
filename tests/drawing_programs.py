"""Graphviz and Mermaid themselves, to read what the program drew for them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page


def graphviz_json(texts: Sequence[str]) -> list[str]:
    """Return what Graphviz read in each text; skipped where it is missing, but in CI it fails."""
    program = shutil.which("dot")
    if program is None:
        _missing("AGENCY_REQUIRE_GRAPHVIZ", "Graphviz is not installed; install Debian's graphviz")
    assert program is not None
    done = [
        subprocess.run(
            [program, "-Tjson"], input=text.encode(), capture_output=True, check=False, timeout=60
        )
        for text in texts
    ]
    assert not any(each.stderr for each in done), [each.stderr for each in done]
    assert all(each.returncode == 0 for each in done)
    return [each.stdout.decode() for each in done]


def mermaid_page(browser: Browser) -> Page:
    """Return a page with Mermaid in it, of the npm package that `AGENCY_MERMAID` names."""
    script = os.environ.get("AGENCY_MERMAID", "")
    if not script:
        _missing(
            "AGENCY_REQUIRE_MERMAID", "AGENCY_MERMAID names no mermaid.min.js of npm's mermaid"
        )
    page = browser.new_page()
    page.add_script_tag(content=Path(script).read_text(encoding="utf-8"))
    page.evaluate("mermaid.initialize({startOnLoad: false, maxEdges: 5000, maxTextSize: 1000000})")
    return page


def drawn_by_mermaid(page: Page, text: str) -> dict[str, Any]:
    """Return the labels of the nodes and edges of a chart that Mermaid has parsed and drawn."""
    found: dict[str, Any] = page.evaluate(
        """async text => {
            await mermaid.parse(text);
            const {svg} = await mermaid.render('drawn', text);
            const holder = document.createElement('div');
            holder.innerHTML = svg;
            const texts = query => [...holder.querySelectorAll(query)].map(each => {
                each.querySelectorAll('br').forEach(line => line.replaceWith('\\n'));
                return each.textContent.trim();
            });
            return {
                nodes: texts('g.node .nodeLabel'),
                edges: holder.querySelectorAll('path.flowchart-link').length,
                labels: texts('g.edgeLabel .edgeLabel').filter(Boolean),
                foreign: holder.querySelectorAll('script, img, a, b, i').length,
            };
        }""",
        text,
    )
    return found


def _missing(variable: str, reason: str) -> None:
    if os.environ.get(variable) == "1":
        pytest.fail(reason)
    pytest.skip(reason)
