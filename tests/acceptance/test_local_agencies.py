"""The shipped agencies do their work on the embedded model, with no key and no server."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from command_line import agency
from petstores import service_beside

AGENCIES = Path(__file__).parents[2] / "agencies"
DIFF = """\
diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,3 +1,4 @@
 def total(items):
+    print("password", PASSWORD)
     return sum(item.price for item in items)
"""


@pytest.mark.parametrize(
    ("name", "stdin", "at_once"),
    [("research_desk", None, {"analyst", "writer"}),
     ("code_review", DIFF, {"correctness", "security", "readability"})],
)  # fmt: skip
def test_it_runs_without_a_key(tmp_path, name, stdin, at_once):
    skipped = shutil.ignore_patterns("output", ".agency", "__pycache__")
    shutil.copytree(AGENCIES / name, tmp_path / name, ignore=skipped)
    manifest = tmp_path / name / "agency.yaml"
    line = ["run", manifest, "Review this", "--model", "local", "--json"]
    done = agency(*line, folder=tmp_path, stdin=stdin)
    if done.code == 6 and os.environ.get("AGENCY_REQUIRE_LOCAL") != "1":
        pytest.skip(done.err)
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["final_output"].strip()
    assert result["cost_usd"] == 0
    assert result["usage"]["output_tokens"] > 0
    delegations = [node for node in result["tree"]["children"] if node["kind"] == "message"]
    assert {child["name"] for node in delegations for child in node["children"]} == at_once
    starts = {node["started_at"][:19] for node in delegations}
    assert len(starts) <= 2, "they begin together"


def test_the_embedded_model_calls_tools_of_a_server(tmp_path):
    skipped = shutil.ignore_patterns("output", ".agency", "__pycache__")
    shutil.copytree(AGENCIES / "ops_room", tmp_path / "ops_room", ignore=skipped)
    manifest = tmp_path / "ops_room" / "agency.yaml"
    done = agency("run", manifest, "Customers cannot pay. What is wrong?", "--model", "local",
                  "--yes", "--json", folder=tmp_path)  # fmt: skip
    if done.code == 6 and os.environ.get("AGENCY_REQUIRE_LOCAL") != "1":
        pytest.skip(done.err)
    assert done.code == 0, done.err
    result = json.loads(done.out)
    asked = [node for node in result["tree"]["children"] if node["kind"] == "message"]
    calls = [call for node in asked for agent in node["children"] for call in agent["children"]
             if call["kind"] == "tool"]  # fmt: skip
    assert any(call["name"].startswith("mcp_watch__") for call in calls)
    assert all(call["status"] == "ok" for call in calls)


def test_the_embedded_model_calls_the_operations_of_a_service(tmp_path):
    skipped = shutil.ignore_patterns("output", ".agency", "__pycache__")
    shutil.copytree(AGENCIES / "petstore_agent", tmp_path / "petstore_agent", ignore=skipped)
    manifest = tmp_path / "petstore_agent" / "agency.yaml"
    with service_beside(manifest.parent) as environ:
        done = agency("run", manifest, "Which cats can I have?", "--model", "local", "--yes",
                      "--json", folder=tmp_path, environ=environ)  # fmt: skip
    if done.code == 6 and os.environ.get("AGENCY_REQUIRE_LOCAL") != "1":
        pytest.skip(done.err)
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["final_output"].strip()
    kinds = {node["kind"] for node in result["tree"]["children"]}
    assert kinds & {"tool", "message"}, "it looked, or asked the clerk"
