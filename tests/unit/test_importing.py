"""References to Python objects: found beside the manifest, apart from other manifests."""

from __future__ import annotations

import sys
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


def test_a_module_of_a_package_can_be_named(tmp_path):
    assert import_object("json:dumps", tmp_path)([1]) == "[1]"


@pytest.mark.parametrize(
    ("text", "reference", "reason"),
    [
        ("def add(): ...", "tools.py:ad", r"has no 'ad'; it has: add"),
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
