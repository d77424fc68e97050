"""References to Python objects: found beside the manifest, apart from other manifests."""

from __future__ import annotations

import sys
import typing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agency_cli.importing import CannotImport, import_object


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder


def test_two_folders_with_a_file_of_one_name_do_not_meet(tmp_path):
    first = write(tmp_path / "a", "tools.py", "def who(): return 'a'")
    second = write(tmp_path / "b", "tools.py", "def who(): return 'b'")
    assert import_object("tools.py:who", first)() == "a"
    assert import_object("tools.py:who", second)() == "b"


def test_a_file_can_import_the_files_beside_it_and_leaves_nothing_behind(tmp_path):
    for name in "ab":
        write(tmp_path / name, "helper_of_tools.py", f"NAME = {name!r}")
        write(
            tmp_path / name, "tools.py", "from helper_of_tools import NAME\ndef who(): return NAME"
        )
    path_before = list(sys.path)
    assert [import_object("tools.py:who", tmp_path / name)() for name in "ab"] == ["a", "b"]
    assert sys.path == path_before
    assert "helper_of_tools" not in sys.modules


LAZY = """
def who():
    {imports}
    return {name}
"""


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("import lazy_helper", "lazy_helper.NAME"),
        ("import lazy_helper as other", "other.NAME"),
        ("from lazy_helper import NAME", "NAME"),
        ("import lazy_package.inner", "lazy_package.inner.NAME"),
        ("import lazy_package.inner as inner", "inner.NAME"),
        ("from lazy_package import inner", "inner.NAME"),
        ("from lazy_package.inner import NAME", "NAME"),
        ("from lazy_package import outer", "outer.who()"),
        ("from lazy_folder import inner", "inner.NAME"),
        ("from lazy_folder.inner import NAME", "NAME"),
        ("from .lazy_helper import NAME", "NAME"),
        ("import lazy_through", "lazy_through.who()"),
        ("exec('import lazy_helper', globals())", "lazy_helper.NAME"),
    ],
)
def test_an_import_inside_a_function_finds_what_lies_beside_its_own_manifest(
    tmp_path, imports, name
):
    for each in "ab":
        folder = tmp_path / each
        write(folder, "lazy_helper.py", f"NAME = {each!r}")
        write(
            folder, "lazy_through.py", "def who():\n    import lazy_helper as h\n    return h.NAME"
        )
        write(folder / "lazy_package", "__init__.py", "")
        write(folder / "lazy_package", "inner.py", f"NAME = {each!r}")
        write(
            folder / "lazy_package",
            "outer.py",
            "def who():\n from . import inner\n return inner.NAME",
        )
        write(folder / "lazy_folder", "inner.py", f"NAME = {each!r}")
        write(folder, "tools.py", LAZY.format(imports=imports, name=name))
    path_before = list(sys.path)
    functions = [import_object("tools.py:who", tmp_path / each) for each in "ab"]
    assert [function() for function in (*functions, *reversed(functions))] == ["a", "b", "b", "a"]
    assert sys.path == path_before
    assert not [module for module in sys.modules if module.startswith("lazy_")]


def test_imports_in_many_threads_at_once_do_not_meet(tmp_path):
    folders = [tmp_path / str(number) for number in range(8)]
    for folder in folders:
        write(folder, "slow_helper.py", f"import time; time.sleep(0.05)\nNAME = {folder.name!r}")
        write(
            folder, "tools.py", LAZY.format(imports="import slow_helper", name="slow_helper.NAME")
        )
    functions = [import_object("tools.py:who", folder) for folder in folders for _ in range(4)]
    with ThreadPoolExecutor(len(functions)) as pool:
        names = list(pool.map(lambda function: function(), functions))
    assert names == [folder.name for folder in folders for _ in range(4)]


def test_a_file_is_one_module_whether_it_is_imported_at_the_top_or_later(tmp_path):
    write(tmp_path, "counted_helper.py", "calls = []")
    write(tmp_path, "a.py", "import counted_helper\ndef f(): counted_helper.calls.append('a')")
    write(
        tmp_path,
        "b.py",
        "def f():\n    import counted_helper, a\n    a.f()\n    return counted_helper.calls",
    )
    import_object("a.py:f", tmp_path)()
    assert import_object("b.py:f", tmp_path)() == ["a", "a"]


def test_what_agencies_are_written_with_is_never_taken_from_beside_the_manifest(tmp_path):
    """A folder of prompts may well be called `agents`, and a file of tools `email.py`."""
    write(tmp_path / "agents", "ceo.md", "You lead.")
    write(tmp_path / "jsonschema", "notes.txt", "")
    write(tmp_path, "pydantic.py", "1/0")
    write(
        tmp_path,
        "email.py",
        "import pydantic\nfrom agents import Agent\nfrom email.message import EmailMessage\n"
        "def f():\n    import jsonschema\n    return Agent, EmailMessage, jsonschema.validate",
    )
    assert [each.__name__ for each in import_object("email.py:f", tmp_path)()] == [
        "Agent",
        "EmailMessage",
        "validate",
    ]


def test_a_plain_folder_is_found_beside_its_manifest_also_where_python_was_started_there(
    tmp_path, monkeypatch
):
    for name in "ab":
        write(tmp_path / name / "plain_folder", "inner.py", f"NAME = {name!r}")
        imports = "from plain_folder.inner import NAME"
        write(tmp_path / name, "tools.py", LAZY.format(imports=imports, name="NAME"))
    functions = [import_object("tools.py:who", tmp_path / name) for name in "ab"]
    monkeypatch.chdir(tmp_path / "a")
    monkeypatch.syspath_prepend("")
    assert [function() for function in functions] == ["a", "b"]
    assert "plain_folder" not in sys.modules


def test_annotations_of_a_file_beside_can_be_read_later(tmp_path):
    write(
        tmp_path,
        "typed_helper.py",
        "from __future__ import annotations\nclass A:\n    other: B\nclass B: ...",
    )
    write(tmp_path, "tools.py", "from typed_helper import A")
    found = import_object("tools.py:A", tmp_path)
    assert typing.get_type_hints(found)["other"].__name__ == "B"


def test_what_a_file_beside_does_to_the_path_it_does_for_itself(tmp_path):
    write(tmp_path, "greedy_helper.py", "import sys; sys.path.insert(0, '/nowhere/at/all')")
    write(tmp_path, "tools.py", "def f():\n    import greedy_helper")
    import_object("tools.py:f", tmp_path)()
    assert "/nowhere/at/all" not in sys.path


def test_a_file_beside_that_failed_is_imported_anew_the_next_time(tmp_path):
    write(tmp_path, "broken_helper.py", "1/0")
    write(tmp_path, "tools.py", LAZY.format(imports="import broken_helper", name="broken_helper.x"))
    function = import_object("tools.py:who", tmp_path)
    with pytest.raises(ZeroDivisionError):
        function()
    write(tmp_path, "broken_helper.py", "x = 5  # mended, and of another length")
    assert function() == 5


@pytest.mark.parametrize("name", ["my-tools.py", "tools.v2.py", "class.py", "tools.py"])
def test_a_file_may_have_any_name_and_a_package_of_its_name_beside_it(tmp_path, name):
    write(tmp_path / "tools", "__init__.py", "WHAT = 'package'")
    write(tmp_path, name, "def f():\n    import tools\n    return tools.WHAT")
    assert import_object(f"{name}:f", tmp_path)() == "package"


def test_a_module_of_a_package_can_be_named(tmp_path):
    assert import_object("json:dumps", tmp_path)([1]) == "[1]"


@pytest.mark.parametrize(
    ("text", "reference", "reason"),
    [
        ("def add(): ...", "tools.py:ad", r"has no 'ad' \(did you mean 'add'\?\)"),
        ("import os\n\n\ndef add(): ...", "tools.py:x", r"has no 'x'; it has: add$"),
        ("", "tools.py:x", "it has: nothing"),
        ("1/0", "tools.py:x", "ZeroDivisionError"),
        ("def f(:", "tools.py:x", "SyntaxError"),
        ("import sys; sys.exit(3)", "tools.py:x", "SystemExit"),
        ("import no_such_module_at_all", "tools.py:x", "ModuleNotFoundError"),
        ("", "missing.py:x", "there is no file"),
        ("", "no_such_module_at_all:x", "ModuleNotFoundError"),
        ("", "tools.py", "file.py:name"),
    ],
)
def test_a_reference_that_leads_nowhere_says_why(tmp_path, text, reference, reason):
    write(tmp_path, "tools.py", text)
    with pytest.raises(CannotImport, match=reason):
        import_object(reference, tmp_path)


def test_a_file_that_failed_is_imported_anew_the_next_time(tmp_path):
    write(tmp_path, "tools.py", "1/0")
    with pytest.raises(CannotImport):
        import_object("tools.py:x", tmp_path)
    write(tmp_path, "tools.py", "x = 5  # mended, and of another length")
    assert import_object("tools.py:x", tmp_path) == 5
