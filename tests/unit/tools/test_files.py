"""The built-in `files` tools stay below their root, whatever path a model writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agency_cli.manifest import FilesTool
from agency_cli.tools.files import LARGEST_READ, LARGEST_WRITE, NotAllowed, Root, files_tools


@pytest.fixture
def root(tmp_path: Path) -> Root:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "inside").mkdir()
    return Root(tmp_path / "inside")


def test_what_is_written_can_be_read_and_is_listed(root):
    assert root.write("src/app.py", "print('hi')\n") == "wrote src/app.py (1 lines)"
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
    assert [tool.name for tool in files_tools(spec, tmp_path)] == ["list_files", "read_file"]
