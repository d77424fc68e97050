"""`agency fmt`, typed as a person types it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import agency

ROOT = Path(__file__).parents[2]
TIDY = "version: 1\nname: crew\nagents:\n  a: {instructions: Hi.}  # one\n"
UNTIDY = "version:   1\nname: crew\nagents:\n    a: { instructions: Hi. } # one\n\n\n"
UNCLOSED = "not YAML: a list that begins with `[` here is not closed  [yaml-syntax]"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tidy.yaml").write_text(TIDY)
    (tmp_path / "untidy.yaml").write_text(UNTIDY)
    return tmp_path


def test_it_rewrites_what_is_not_laid_out_and_tells_so(folder):
    done = agency("fmt", "tidy.yaml", "untidy.yaml", folder=folder)
    assert (done.code, done.err) == (0, "")
    assert done.out == "untidy.yaml: formatted\n2 files, 1 formatted\n"
    assert (folder / "untidy.yaml").read_text() == TIDY
    again = agency("fmt", "tidy.yaml", "untidy.yaml", folder=folder)
    assert (again.code, again.out) == (0, "2 files, nothing to do\n")


def test_check_writes_nothing_and_fails_where_something_would_change(folder):
    done = agency("fmt", "--check", "tidy.yaml", "untidy.yaml", folder=folder)
    assert (done.code, done.err) == (1, "")
    assert done.out == "untidy.yaml: would be formatted\n2 files, 1 would be formatted\n"
    assert (folder / "untidy.yaml").read_text() == UNTIDY
    assert agency("fmt", "--check", "tidy.yaml", folder=folder).code == 0


def test_diff_shows_what_would_change_and_writes_nothing(folder):
    done = agency("fmt", "--diff", "untidy.yaml", folder=folder)
    assert done.code == 0
    assert done.out.startswith("--- untidy.yaml\n+++ untidy.yaml (formatted)\n@@")
    assert "-    a: { instructions: Hi. } # one\n" in done.out
    assert "+  a: {instructions: Hi.}  # one\n" in done.out
    assert (folder / "untidy.yaml").read_text() == UNTIDY
    assert agency("fmt", "--diff", "--check", "untidy.yaml", folder=folder).code == 1


def test_its_difference_is_one_that_patch_takes(folder):
    (folder / "untidy.yaml").write_text(UNTIDY.rstrip("\n"))
    done = agency("fmt", "--diff", "untidy.yaml", folder=folder)
    applied = subprocess.run(
        ["git", "apply", "-p0", "--unidiff-zero"],
        cwd=folder, input=done.out.replace(" (formatted)", ""), text=True, capture_output=True,
        check=False, env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
    )  # fmt: skip
    assert applied.returncode == 0, applied.stderr
    assert (folder / "untidy.yaml").read_text() == TIDY


def test_the_standard_input_goes_to_the_standard_output(folder):
    done = agency("fmt", "-", folder=folder, stdin=UNTIDY)
    assert (done.code, done.out, done.err) == (0, TIDY, "")
    assert agency("fmt", "-", "--check", folder=folder, stdin=UNTIDY).code == 1
    assert agency("fmt", "-", "--check", folder=folder, stdin=TIDY).code == 0
    assert "+  a: {" in agency("fmt", "-", "--diff", folder=folder, stdin=UNTIDY).out


def test_the_standard_output_is_utf_8_whatever_the_terminal_is(folder):
    text = TIDY.replace("Hi.", "Ża 你好 😀")
    environ = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    assert agency("fmt", "-", folder=folder, stdin=text, environ=environ).out == text


def test_what_is_no_yaml_is_told_with_its_place_and_the_others_are_formatted(folder):
    (folder / "broken.yaml").write_text("version: 1\nname: [a\n")
    done = agency("fmt", "broken.yaml", "none.yaml", "untidy.yaml", folder=folder)
    assert done.code == 2
    assert done.err.splitlines() == [
        f"broken.yaml:2:7: error: {UNCLOSED}",
        "none.yaml: error: the file does not exist  [missing-file]",
    ]
    assert done.out == "untidy.yaml: formatted\n3 files, 1 formatted, 2 at fault\n"
    assert (folder / "broken.yaml").read_text() == "version: 1\nname: [a\n"
    broken = agency("fmt", "-", folder=folder, stdin="a: [b")
    assert (broken.code, broken.out) == (2, "")
    assert broken.err.startswith("<stdin>:1:4: error: ")


def test_what_cannot_be_laid_out_is_left_as_it_is_and_told(folder):
    text = "version: 1  # one\u2028name: crew\n"
    (folder / "odd.yaml").write_text(text, encoding="utf-8")
    done = agency("fmt", "odd.yaml", folder=folder)
    assert (done.code, done.out) == (1, "1 file, 1 left as it is\n")
    assert done.err.startswith("error: odd.yaml is left as it is: ")
    assert (folder / "odd.yaml").read_text(encoding="utf-8") == text


def test_a_folder_stands_for_the_yaml_files_below_it(folder):
    for name in ("b/c/deep.yml", ".hidden/x.yaml", "b/.x.yaml", "b/text.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(UNTIDY)
    done = agency("fmt", "--check", ".", "./untidy.yaml", folder=folder)
    assert done.out.splitlines() == [
        "untidy.yaml: would be formatted",
        "b/c/deep.yml: would be formatted",
        "3 files, 2 would be formatted",
    ]
    (folder / "nothing").mkdir()
    none = agency("fmt", "nothing", folder=folder)
    assert (none.code, none.out) == (2, "")
    assert "holds no file that ends in .yaml" in none.err


def test_a_byte_order_mark_and_other_line_endings_go(folder):
    path = folder / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + TIDY.replace("\n", "\r\n").encode())
    assert agency("fmt", "--check", path, folder=folder).code == 1
    assert agency("fmt", "--diff", path, folder=folder).code == 0
    assert agency("fmt", path, folder=folder).code == 0
    assert path.read_bytes() == TIDY.encode()


def test_links_and_permissions_stay(folder):
    target, link = folder / "untidy.yaml", folder / "link.yaml"
    target.chmod(0o640)
    link.symlink_to("untidy.yaml")
    assert agency("fmt", "link.yaml", folder=folder).code == 0
    assert link.is_symlink()
    assert target.read_text() == TIDY
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == [
        "link.yaml", "tidy.yaml", "untidy.yaml",
    ]  # fmt: skip


def test_what_may_not_be_written_is_told_and_stays(folder):
    if os.geteuid() == 0:
        # Root may write everything; a process's own standard input is no file for anybody.
        done = agency("fmt", "/dev/stdin", folder=folder, stdin=UNTIDY)
        assert "it is no file; pipe it in" in done.err
    else:
        (folder / "untidy.yaml").chmod(0o400)
        done = agency("fmt", "untidy.yaml", folder=folder)
        assert "cannot write untidy.yaml: Permission denied" in done.err
    assert done.code == 2
    assert (folder / "untidy.yaml").read_text() == UNTIDY


def test_standard_input_is_not_one_file_of_several(folder):
    done = agency("fmt", "-", "tidy.yaml", folder=folder, stdin=UNTIDY)
    assert (done.code, done.out) == (2, "")


def test_all_that_is_shipped_is_laid_out_already():
    done = agency("fmt", "--check", "agencies", "agency_cli/templates", folder=ROOT)
    assert done.code == 0, done.out


def test_formatting_imports_nothing_heavy(folder):
    heavy = ("agents", "openai", "rich", "sqlalchemy", "jsonschema")
    program = (
        "import sys\n"
        "from agency_cli.cli.app import run_command_line\n"
        "code = run_command_line(['fmt', 'untidy.yaml'])\n"
        f"print(code, [name for name in {heavy} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "0 []"
