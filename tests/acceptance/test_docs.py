"""What the pages under docs/ show is true: their manifests, and the options that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import agency

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
BLOCK = re.compile(
    r"(?:^<!-- file: (?P<name>\S+) -->\n)?^```\w*\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)


def blocks(page: Path) -> list[tuple[str | None, str]]:
    """Return a page's blocks of code, each with the name of the file that it stands for, if any."""
    return [(found["name"], found["text"]) for found in BLOCK.finditer(page.read_text())]


def manifests() -> list[object]:
    return [
        pytest.param(page, text, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, (name, text) in enumerate(blocks(page))
        if name is None and re.search(r"^version: 1$", text, re.MULTILINE)
    ]


@pytest.mark.parametrize(("page", "manifest"), manifests())
def test_each_manifest_of_the_docs_is_sound(page, manifest, tmp_path):
    for name, text in blocks(page):
        if name is not None:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    (tmp_path / "agency.yaml").write_text(manifest)
    done = agency("validate", "agency.yaml", folder=tmp_path)
    assert done.code == 0, done.out


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_links_of_the_docs_lead_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
