"""What a loaded manifest holds, and what keeps one from being loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from agency_cli.errors import ManifestError, Problem, UsageError
from agency_cli.loading import check_manifest, examine_manifest, load_manifest

MANIFEST = """\
version: 1
name: demo
params:
  language: {enum: [Python, Go], default: Python}
providers:
  proxy: {base_url: "https://proxy.example/v1", api_key: "${env.PROXY_KEY}"}
models: {m: {model: x, provider: proxy}}
defaults: {model: m}
shared_instructions_file: shared.md
agents:
  ceo: {instructions_file: texts/ceo.md, description: Leads.}
  developer:
    description: Writes.
    instructions: |
      You write ${param.language}.
    x-note: kept from the models
entry: ceo
flows: [ceo > developer]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "agency.yaml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "shared.md").write_text("Be brief.\n", encoding="utf-8")
    (tmp_path / "texts" / "ceo.md").write_text(
        "\ufeffYou lead.\r\nUse ${param.language}.\n", encoding="utf-8", newline=""
    )
    return tmp_path


def test_instructions_are_ready_for_the_model(folder):
    loaded = load_manifest(folder / "agency.yaml", params={"language": "Go"}, environ={})
    assert loaded.instructions == {
        "ceo": "Be brief.\n\nYou lead.\r\nUse Go.",
        "developer": "Be brief.\n\nYou write Go.",
    }
    assert loaded.params == {"language": "Go"}
    assert loaded.manifest.agents["developer"].instructions == "You write Go.\n"


def test_paths_resolve_against_the_folder_of_the_manifest(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    given = Path(folder.name) / "agency.yaml"
    loaded = load_manifest(given, environ={})
    assert (loaded.path, loaded.folder) == (given, folder)


def test_unset_credentials_do_not_keep_a_manifest_from_being_loaded(folder):
    loaded = load_manifest(folder / "agency.yaml", environ={})
    assert loaded.missing_env == {("providers", "proxy", "api_key"): ("PROXY_KEY",)}
    assert loaded.manifest.providers["proxy"].api_key.get_secret_value() == ""
    loaded = load_manifest(folder / "agency.yaml", environ={"PROXY_KEY": "s3cret"})
    assert loaded.missing_env == {}
    assert loaded.manifest.providers["proxy"].api_key.get_secret_value() == "s3cret"
    assert "s3cret" not in repr(loaded)


def test_the_digest_changes_with_whatever_was_read(folder):
    def digest():
        return load_manifest(folder / "agency.yaml", environ={}).digest

    first = digest()
    assert digest() == first
    for name in ("agency.yaml", "shared.md", "texts/ceo.md"):
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")
        assert digest() != first
        first = digest()


def test_problems_in_a_file_of_instructions_have_their_place_in_it(folder):
    text = (
        "You lead.\r\n\r\n  Use ${param.langauge} in ${env.HOME}, $${env.HOME}.\r\nAsk @ghost.\r\n"
    )
    (folder / "texts" / "ceo.md").write_text(text, encoding="utf-8", newline="")
    found = check_manifest(folder / "agency.yaml", environ={"HOME": "/"})
    assert [(p.file, p.line, p.column, p.code) for p in found if p.severity == "error"] == [
        (f"{folder}/texts/ceo.md", 3, 7, "unknown-param"),
        (f"{folder}/texts/ceo.md", 3, 28, "env-in-prompt"),
    ]


def test_a_mention_in_a_file_of_instructions_has_its_place_in_it(folder):
    text = "You lead.\nAsk @developer, not @ceo.\n"
    (folder / "texts" / "ceo.md").write_text(text, encoding="utf-8")
    path = folder / "agency.yaml"
    path.write_text(MANIFEST.replace("flows: [ceo > developer]", ""), encoding="utf-8")
    found = [p for p in check_manifest(path, environ={}) if p.code == "unreachable-mention"]
    assert [(p.file, p.line, p.column) for p in found] == [(f"{folder}/texts/ceo.md", 2, 5)]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "missing-file"),
        (b"caf\xe9", "not-utf-8"),
        (b"a\x00b", "binary-file"),
        (b"x" * 1_000_001, "file-too-large"),
        (b" \n\n", "empty"),
    ],
)
def test_a_file_of_instructions_that_cannot_be_read_is_a_problem(data, code, folder):
    path = folder / "texts" / "ceo.md"
    if data is None:
        path.rename(folder / "texts" / "ceo.txt")
    else:
        path.write_bytes(data)
    (problem,) = check_manifest(folder / "agency.yaml", environ={})
    assert problem.code == code
    assert problem.file in (f"{folder}/agency.yaml", f"{folder}/texts/ceo.md")
    assert data is not None or "did you mean 'ceo.txt'?" in problem.message


def test_a_folder_for_instructions_is_a_problem(folder):
    (folder / "texts" / "ceo.md").unlink()
    (folder / "texts" / "ceo.md").mkdir()
    (problem,) = check_manifest(folder / "agency.yaml", environ={})
    assert (problem.code, problem.line, problem.column) == ("not-a-file", 11, 28)


def test_params_that_cannot_be_are_the_fault_of_whoever_gave_them(folder):
    with pytest.raises(UsageError) as raised:
        load_manifest(folder / "agency.yaml", params={"language": "Rust", "x": "1"}, environ={})
    assert str(raised.value) == (
        "--param x: the manifest has no such param; it has language; "
        "--param language=Rust: must be one of Python, Go"
    )


def test_a_missing_param_keeps_a_run_from_beginning_but_not_a_check(folder):
    path = folder / "agency.yaml"
    path.write_text(MANIFEST.replace(", default: Python", ""), encoding="utf-8")
    with pytest.raises(UsageError, match=r"the param 'language' .* has no value"):
        load_manifest(path, environ={})
    assert check_manifest(path, environ={}) == ()


def test_what_a_missing_param_would_decide_is_not_judged(folder):
    path = folder / "agency.yaml"
    text = MANIFEST.replace("entry: ceo", 'entry: "${param.who}"').replace(
        "enum: [Python, Go], ", ""
    )
    path.write_text(text.replace("params:", "params:\n  who: {}"), encoding="utf-8")
    assert [p for p in check_manifest(path, environ={}) if p.severity == "error"] == []
    assert load_manifest(path, params={"who": "ceo"}, environ={}).manifest.entries == ("ceo",)
    with pytest.raises(ManifestError, match="no agent named 'boss'"):
        load_manifest(path, params={"who": "boss"}, environ={})


def test_a_misspelt_key_does_not_hide_what_else_is_wrong(folder):
    path = folder / "agency.yaml"
    text = MANIFEST.replace("description: Leads", "desription: Leads")
    path.write_text(text.replace("version: 1\n", "").replace("ceo > dev", "ceo > dve"))
    assert [problem.code for problem in check_manifest(path, environ={})] == [
        "missing-key",
        "unknown-key",
        "unknown-agent",
    ]


def test_a_misspelt_credential_is_not_also_an_unset_variable(folder):
    path = folder / "agency.yaml"
    path.write_text(MANIFEST.replace("api_key", "api_kye"), encoding="utf-8")
    assert [problem.code for problem in check_manifest(path, environ={})] == ["unknown-key"]


def test_no_message_holds_the_value_of_a_variable(folder):
    path = folder / "agency.yaml"
    text = MANIFEST.replace("api_key:", "api: '${env.PROXY_KEY}', api_key:")
    path.write_text(text, encoding="utf-8")
    found = check_manifest(path, environ={"PROXY_KEY": "s3cret"})
    assert [problem.code for problem in found] == ["bad-value"]
    assert "s3cret" not in str(found[0])


def test_problems_found_later_get_their_place_too(folder):
    loaded = load_manifest(folder / "agency.yaml", environ={})
    problem = Problem(code="x", message="y", path=("agents", "developer"), at_key=True)
    located = loaded.locate(problem)
    assert (located.file, located.line, located.column) == (f"{folder}/agency.yaml", 12, 3)


def test_a_report_holds_the_manifest_as_far_as_it_is_understood(folder):
    report = examine_manifest(folder / "agency.yaml", environ={})
    assert list(report.manifest.agents) == ["ceo", "developer"]
    assert examine_manifest(folder / "nothing.yaml", environ={}).manifest is None
