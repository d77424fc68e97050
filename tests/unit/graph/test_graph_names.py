"""Whatever a manifest names its things, every format stays what it is, for the real readers."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from odd_names import ODD, generated, named

from agency_cli.graph import GRAPH_FORMATS, View
from agency_cli.graph.plain import plain
from browsing import browsing
from drawing_programs import drawn_by_mermaid, graphviz_json, mermaid_page

NAMES = [*ODD, *map(generated, range(40))]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(form, name, encoding="utf-8"):
    view = View(tools=True, models=True, encoding=encoding)
    return GRAPH_FORMATS[form](named(name), view)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
@pytest.mark.parametrize("form", GRAPH_FORMATS)
def test_every_name_can_be_written_in_every_encoding(form, encoding):
    for name in NAMES:
        drawn(form, name, encoding).encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_svg_holds_every_name_as_text_and_nothing_of_it_as_markup(encoding):
    known = {"svg", "title", "style", "rect", "g", "path", "text"}
    for name in NAMES:
        root = ET.fromstring(drawn("svg", name, encoding))  # noqa: S314 - our own
        assert {each.tag.removeprefix(SVG) for each in root.iter()} <= known
        texts = [text.text or "" for text in root.iter(f"{SVG}text")]
        wanted = "".join(char for char in plain(name) if char not in "\ufffe\uffff")
        assert any(wanted in text for text in texts), name


def test_graphviz_reads_every_name():
    names = [name for name in NAMES if plain(name).strip()]
    for name, read in zip(
        names, graphviz_json([drawn("dot", name) for name in names]), strict=True
    ):
        graph = json.loads(read)
        assert len(graph["objects"]) == 3
        assert len(graph["edges"]) == 3
        written = _shown_by_graphviz(graph["objects"][1]["_ldraw_"])
        assert written.startswith(plain(name).replace(" ", "")), name


def test_mermaid_reads_every_name():
    with browsing() as browser:
        page = mermaid_page(browser)
        for name in NAMES:
            found = drawn_by_mermaid(page, drawn("mermaid", name))
            assert len(found["nodes"]) == 3, name
            assert found["edges"] == 3, name
            assert found["foreign"] == 0, name
            shown = "".join(found["nodes"][0].replace("\u2060", "").split())
            assert shown.startswith("".join(plain(name).split())), (name, shown)


def test_svg_with_every_name_runs_and_loads_nothing(tmp_path):
    with browsing() as browser:
        page = browser.new_page()
        noticed = []
        page.on("request", lambda request: noticed.append(request.url))
        page.on("dialog", lambda dialog: noticed.append(dialog.message))
        page.on("console", lambda message: noticed.append(message.text))
        for number, name in enumerate(NAMES):
            path = tmp_path / f"{number}.svg"
            path.write_text(drawn("svg", name), encoding="utf-8")
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.tagName") == "svg"
        assert [each for each in noticed if not each.startswith("file:")] == []


def _shown_by_graphviz(operations):
    return "".join(each["text"] for each in operations if each["op"] == "T").replace(" ", "")
