"""The built-in `files` tools stay below their root, whatever path a model writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agency_cli.manifest import FilesTool
from agency_cli.tools.builtin.files import files_tools
from agency_cli.tools.builtin.root import LARGEST_READ, LARGEST_WRITE, NotAllowed, Root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "inside").mkdir()
    return Root(tmp_path / "inside")


def test_what_is_written_can_be_read_and_is_listed(root):
    assert root.write("src/app.py", "print('hi')\n") == "wrote src/app.py (1 line)"
    assert root.read("src/app.py") == "print('hi')\n"
    assert root.list(".") == "src/\nsrc/app.py"


def test_a_root_that_is_not_there_yet_lists_as_empty_and_is_made_by_writing(tmp_path):
    root = Root(tmp_path / "new")
    assert root.list(".") == "(empty)"
    root.write("a.txt", "a")
    assert (tmp_path / "new" / "a.txt").read_text() == "a"


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "/etc/passwd",
        "a/../../secret.txt",
        "..",
        " ../secret.txt ",
        "./../secret.txt",
    ],
)
def test_no_spelling_of_a_path_leaves_the_root(root, path):
    for attempt in (root.read, root.list, lambda p: root.write(p, "x")):
        with pytest.raises(NotAllowed, match="outside"):
            attempt(path)


def test_a_link_that_leads_out_is_not_followed(root, tmp_path):
    (tmp_path / "inside" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "inside" / "up").symlink_to(tmp_path)
    for path in ("link.txt", "up/secret.txt"):
        with pytest.raises(NotAllowed, match="outside"):
            root.read(path)
        with pytest.raises(NotAllowed, match="outside"):
            root.write(path, "overwritten")
    assert (tmp_path / "secret.txt").read_text() == "secret"


def test_a_sibling_whose_name_begins_like_the_root_is_outside(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside-not").mkdir()
    (tmp_path / "inside-not" / "f").write_text("x")
    with pytest.raises(NotAllowed, match="outside"):
        Root(tmp_path / "inside").read("../inside-not/f")


def test_what_cannot_be_read_is_refused_with_its_reason(root, tmp_path):
    inside = tmp_path / "inside"
    (inside / "big.txt").write_bytes(b"x" * (LARGEST_READ + 1))
    (inside / "image.bin").write_bytes(b"\xff\xfe\x00")
    (inside / "folder").mkdir()
    for path, reason in {
        "missing.txt": "no file 'missing.txt'",
        "folder": "no file 'folder'",
        "big.txt": "200,001 bytes",
        "image.bin": "not a text file",
        "nul\0": "NUL",
    }.items():
        with pytest.raises(NotAllowed, match=reason):
            root.read(path)


def test_what_cannot_be_written_is_refused_and_nothing_is_changed(root, tmp_path):
    (tmp_path / "inside" / "folder").mkdir()
    with pytest.raises(NotAllowed, match="is a folder"):
        root.write("folder", "x")
    with pytest.raises(NotAllowed, match="is a folder"):
        root.write(".", "x")
    with pytest.raises(NotAllowed, match="the most that is written"):
        root.write("big.txt", "x" * (LARGEST_WRITE + 1))
    assert root.list(".") == "folder/"


def test_text_is_written_as_it_is_in_every_script(root):
    text = "naïve\r\n日本語 🙂\n"
    root.write("t.txt", text)
    assert root.read("t.txt") == text


def test_a_read_only_root_offers_no_writing(tmp_path):
    spec = FilesTool(builtin="files", root="r", read_only=True)
    names = ["list_files", "read_file", "search_files"]
    assert [tool.name for tool in files_tools(spec, tmp_path)] == names
    assert list(spec.known_names) == names


def test_only_what_is_allowed_is_offered(tmp_path):
    spec = FilesTool(builtin="files", root="r", allow=["write_file", "list_files"])
    assert [tool.name for tool in files_tools(spec, tmp_path)] == ["list_files", "write_file"]


def test_what_a_declaration_says_of_its_names_is_what_there_is(tmp_path):
    spec = FilesTool(builtin="files", root="r")
    assert [tool.name for tool in files_tools(spec, tmp_path)] == list(spec.known_names)


def test_a_long_file_is_read_in_parts(root):
    lines = [f"line {number} {'x' * 90}\n" for number in range(1, 4001)]
    root.write("long.txt", "".join(lines))
    with pytest.raises(NotAllowed, match="read it in parts"):
        root.read("long.txt")
    assert root.read("long.txt", 1, 2) == "".join(lines[:2])
    assert root.read("long.txt", 3999) == "".join(lines[3998:])
    assert root.read("long.txt", 9000, 5) == ""
    with pytest.raises(NotAllowed, match="read fewer"):
        root.read("long.txt", 1, 3999)


def test_an_edit_replaces_one_piece_and_nothing_else(root):
    root.write("app.py", "a = 1\r\nb = 2\r\nb = 3\n")
    assert root.edit("app.py", "b = 2", "c = 20") == "edited app.py at line 2"
    assert root.read("app.py") == "a = 1\r\nc = 20\r\nb = 3\n"
    for old, reason in {
        "b = 9": "does not stand in",
        " = ": "stands 3 times",
        "": "is empty",
    }.items():
        with pytest.raises(NotAllowed, match=reason):
            root.edit("app.py", old, "x")
    assert root.read("app.py") == "a = 1\r\nc = 20\r\nb = 3\n"


def test_a_search_finds_lines_and_skips_what_is_no_text(root, tmp_path):
    inside = tmp_path / "inside"
    root.write("b/notes.md", "Nothing\n  The STRASSE is long.\n")
    root.write("a.txt", "straße\n")
    (inside / "image.bin").write_bytes(b"\xff\xfestrasse")
    (inside / "out").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(inside / "pipe")
    assert root.search("strasse", ".") == "a.txt:1: straße\nb/notes.md:2: The STRASSE is long."
    assert root.search("secret", ".") == "(nothing found)"
    root.write("many.txt", "hit\n" * 500)
    assert root.search("hit", ".").splitlines()[200].startswith("(more;")
    with pytest.raises(NotAllowed, match="no folder"):
        root.search("x", "nowhere")


def test_reasons_do_not_tell_where_the_folder_is(root, tmp_path):
    (tmp_path / "inside" / "round").symlink_to("round")
    for path in ("x" * 300, "a/" * 3000, "round", "missing/a.txt"):
        for attempt in (root.read, lambda p: root.edit(p, "a", "b")):
            with pytest.raises(NotAllowed) as refused:
                attempt(path)
            assert str(tmp_path) not in str(refused.value)
            assert len(str(refused.value)) < 400
    with pytest.raises(NotAllowed) as refused:
        root.write("x" * 300, "a")
    assert str(tmp_path) not in str(refused.value)


def test_a_link_that_is_put_there_after_a_path_was_looked_at_leads_nowhere(root, tmp_path):
    inside = tmp_path / "inside"
    (inside / "folder").mkdir()
    looked_at = inside.resolve() / "folder" / "secret.txt"
    (inside / "folder").rmdir()
    (inside / "folder").symlink_to(tmp_path)
    with pytest.raises(NotAllowed), root._opened(looked_at, "folder/secret.txt"):
        pass
