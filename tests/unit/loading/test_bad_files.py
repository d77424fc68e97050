"""Files that are no manifests: one clear problem each, at once, whatever is in them."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from agency_cli.loading import check_manifest

WHOLE = (Path(__file__).parents[2] / "manifests" / "every_key.yaml").read_bytes()
HEAD = b"version: 1\nname: demo\nagents:\n  ceo: {instructions: Lead.}\n"


def only_problem(path):
    (problem,) = check_manifest(path)
    return problem


def problem_of(data, tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_bytes(data)
    return only_problem(path)


def test_a_missing_file_is_named_and_a_near_one_suggested(tmp_path):
    (tmp_path / "agency.yaml").write_bytes(HEAD)
    problem = only_problem(tmp_path / "agncy.yaml")
    assert problem.code == "missing-file"
    assert "did you mean 'agency.yaml'?" in problem.message
    assert str(problem).startswith(f"{tmp_path}/agncy.yaml: error: the file does not exist")


def test_a_file_below_a_file_does_not_exist(tmp_path):
    (tmp_path / "a").write_bytes(HEAD)
    assert only_problem(tmp_path / "a" / "agency.yaml").code == "missing-file"


def test_a_folder_is_told_from_a_file(tmp_path):
    problem = only_problem(tmp_path)
    assert problem.code == "not-a-file"
    assert "agency.yaml" in problem.message


@pytest.mark.skipif(sys.platform == "win32" or os.getuid() == 0, reason="root reads everything")
def test_an_unreadable_file_says_why(tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_bytes(HEAD)
    path.chmod(0)
    problem = only_problem(path)
    assert (problem.code, "permission denied" in problem.message) == ("unreadable-file", True)


def test_a_path_that_cannot_be_one_is_a_problem(tmp_path):
    assert only_problem(tmp_path / "a\0b").code == "unreadable-file"
    assert only_problem(tmp_path / ("x" * 5000)).code == "unreadable-file"


def test_a_huge_file_is_refused_without_being_read(tmp_path):
    path = tmp_path / "agency.yaml"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert only_problem(path).code == "file-too-large"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_device_is_refused():
    problem = only_problem(Path("/dev/zero"))
    assert (problem.code, "is a device" in problem.message) == ("not-a-file", True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path):
    path = tmp_path / "fifo.yaml"
    os.mkfifo(path)
    problem = only_problem(path)
    assert (problem.code, "is a named pipe" in problem.message) == ("not-a-file", True)
    manifest = tmp_path / "agency.yaml"
    manifest.write_bytes(HEAD.replace(b"instructions: Lead.", b"instructions_file: fifo.yaml"))
    problem = only_problem(manifest)
    assert (problem.code, problem.line, problem.column) == ("not-a-file", 4, 28)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such sockets")
def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the address of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.yaml")
        problem = only_problem(Path("s.yaml"))
    assert (problem.code, "is a socket" in problem.message) == ("not-a-file", True)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_what_another_program_writes_is_read_to_its_end():
    reading, writing = os.pipe()
    try:
        os.write(writing, HEAD)
        os.close(writing)
        assert check_manifest(f"/dev/fd/{reading}") == ()
    finally:
        os.close(reading)
    command = [sys.executable, "-m", "agency_cli", "validate", "/dev/stdin"]
    done = subprocess.run(command, input=HEAD, capture_output=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        b"/dev/stdin: ok (1 agent, 0 flows)",
    )


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# words\n", b"\xef\xbb\xbf", b"---\n", b"~"])
def test_an_empty_file_is_said_to_be_empty(data, tmp_path):
    problem = problem_of(data, tmp_path)
    assert (problem.code, problem.line, problem.column) == ("empty-file", 1, 1)
    assert "version: 1" in problem.message


def test_bytes_that_are_not_utf_8_have_their_place(tmp_path):
    problem = problem_of(b"version: 1\nname: caf\xe9\n", tmp_path)
    assert (problem.code, problem.line, problem.column) == ("not-utf-8", 2, 10)
    assert "0xe9" in problem.message


def test_utf_16_is_named(tmp_path):
    problem = problem_of("version: 1\n".encode("utf-16"), tmp_path)
    assert (problem.code, "UTF-16" in problem.message) == ("not-utf-8", True)


@pytest.mark.parametrize("data", [b"\x00", b"\x7f", b"\x1b[31m", "\ufffe".encode()])
def test_a_binary_file_is_told_with_the_place_of_its_first_such_character(data, tmp_path):
    problem = problem_of(b"version: 1\nname: ab" + data, tmp_path)
    assert (problem.code, problem.line, problem.column) == ("binary-file", 2, 9)
    assert problem.message.isprintable()


@pytest.mark.parametrize("depth", [65, 1_000, 100_000])
@pytest.mark.parametrize("form", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused_at_the_level_that_is_too_deep(form, depth, tmp_path):
    problem = problem_of(b"version: 1\nx-deep:\n  " + form.encode() * depth, tmp_path)
    assert problem.code == "too-deep"
    assert problem.line == 3


def test_nesting_through_aliases_counts(tmp_path):
    lines = ["x-0: &a0 {a: {b: {c: {d: 1}}}}"]
    lines += [f"x-{i}: &a{i} {{a: {{b: {{c: *a{i - 1}}}}}}}" for i in range(1, 40)]
    problem = problem_of("\n".join(lines).encode(), tmp_path)
    assert problem.code == "too-deep"


def test_aliases_that_multiply_are_refused(tmp_path):
    lines = [b"x-0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [
        b"x-%d: &a%d [%s]" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 9)) for i in range(1, 30)
    ]
    problem = problem_of(b"\n".join(lines), tmp_path)
    assert problem.code == "alias-bomb"


def test_merged_mappings_that_multiply_are_refused(tmp_path):
    keys = ", ".join(f"k{i}: 1" for i in range(500))
    lines = [f"x-a: &a {{{keys}}}", *(f"x-{i}: {{<<: *a}}" for i in range(200))]
    assert problem_of("\n".join(lines).encode(), tmp_path).code == "alias-bomb"


def test_a_document_with_too_many_values_is_refused(tmp_path):
    problem = problem_of(b"x-many:\n" + b"- 1\n" * 200_000, tmp_path)
    assert (problem.code, problem.line) == ("too-many-values", 99_999)


def test_thousands_of_problems_are_cut_short(tmp_path):
    flows = b"".join(b"  - agent%d > agent%d\n" % (i, i + 1) for i in range(5_000))
    keys = b"".join(b"key%d: 1\n" % i for i in range(5_000))
    path = tmp_path / "agency.yaml"
    path.write_bytes(HEAD + b"flows:\n" + flows)
    assert_cut_short(check_manifest(path), "unknown-agent")
    path.write_bytes(HEAD + keys)
    assert_cut_short(check_manifest(path), "unknown-key")
    path.write_bytes(HEAD + b"name: b\n" * 5_000)
    assert_cut_short(check_manifest(path), "duplicate-key")
    path.write_bytes(HEAD.replace(b"Lead.", b'"' + b"${param.x} " * 50_000 + b'"'))
    assert_cut_short(check_manifest(path), "unknown-param")


def assert_cut_short(problems, code):
    assert [problem.code for problem in problems] == [code] * 100 + ["more-problems"]


def test_flows_that_multiply_are_refused(tmp_path):
    names = b", ".join(b"a%d" % i for i in range(5_000))
    problem = problem_of(HEAD + b"flows: ['" + names + b" > " + names + b"']", tmp_path)
    assert (problem.code, problem.line) == ("too-many-flows", 5)


def test_params_that_multiply_are_refused(tmp_path):
    param = b"params: {x: {default: '" + b"x" * 400_000 + b"'}}\n"
    text = HEAD.replace(b"Lead.", b'"' + b"${param.x}" * 40_000 + b'"')
    problem = problem_of(param + text, tmp_path)
    assert problem.code == "too-large"


def test_thousands_of_agents_are_looked_through(tmp_path):
    agents = "".join(
        f"  a{i}: {{instructions: Work., description: Works.}}\n" for i in range(2_000)
    )
    flows = "".join(f"  - a{i} > a{i + 1}\n" for i in range(1_999))
    path = tmp_path / "agency.yaml"
    path.write_text(f"version: 1\nname: demo\nagents:\n{agents}flows:\n{flows}")
    assert check_manifest(path) == ()


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    path = tmp_path / "agency.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.replace(b"\n", b"\r\n"))
    assert check_manifest(path) == ()
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + b"nmae: 1\n").replace(b"\n", b"\r\n"))
    problem = only_problem(path)
    assert (problem.code, problem.line, problem.column) == ("unknown-key", 5, 1)


def mutated(data, chance):
    """Return data with some bytes, or some of YAML's tokens, changed, doubled or gone."""
    tokens = [
        b": ",
        b"- ",
        b"\n",
        b"  ",
        b"[",
        b"]",
        b"{",
        b"}",
        b"'",
        b'"',
        b"&a ",
        b"*a",
        b"<<: ",
    ]
    tokens += [
        b"!!int ",
        b"? ",
        b"|\n",
        b"\t",
        b"${env.X}",
        b"${param.",
        b"\xff",
        b"\x00",
        b"~",
        b"#",
    ]
    result = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(result))
        size = chance.choice([0, 1, 1, 4, 40])
        match chance.randrange(3):
            case 0:
                result[at : at + size] = chance.choice(tokens)
            case 1:
                del result[at : at + size]
            case _:
                result[at:at] = result[at : at + size]
    return bytes(result)


def test_whatever_happens_to_a_manifest_only_problems_are_found(tmp_path):
    chance = random.Random(7)  # noqa: S311 - a test that can be repeated
    path = tmp_path / "agency.yaml"
    found = set()
    for _ in range(400):
        path.write_bytes(mutated(WHOLE, chance))
        problems = check_manifest(path, environ={})
        lines = path.read_bytes().count(b"\n") + 1
        for problem in problems:
            assert problem.message.isprintable(), problem
            assert 1 <= problem.line <= lines + 1
            assert problem.column >= 1
        found.update(problem.code for problem in problems)
    assert len(found) > 15
