"""What is sent to providers of different houses: addresses, keys, headers, names of models."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import agency

MANIFEST = """\
version: 1
name: house
providers:
  azure: {{base_url: "{url}", api_key: "${{env.AZURE_OPENAI_API_KEY}}", api: responses}}
  openrouter:
    base_url: "{url}"
    api_key: "${{env.OPENROUTER_API_KEY}}"
    headers: {{HTTP-Referer: "https://example.org", X-Title: House, X-Key: "${{env.MORE_KEY:-}}"}}
  open: {{base_url: "{url}/"}}
models:
  deployed: {{model: my-gpt-5-deployment, provider: azure, price: {{input: 1.25, output: 10}}}}
  routed: {{model: anthropic/claude-sonnet-4.5, provider: openrouter}}
  small: {{model: "llama3.3:70b", provider: open, price: {{input: 0, output: 0}}}}
agents: {{one: {{instructions: You work., model: {model}}}}}
"""
KEYS = {"AZURE_OPENAI_API_KEY": "az-key-1", "OPENROUTER_API_KEY": "or-key-1"}


def run(folder: Path, server, model: str, **environ: str):
    path = folder / "agency.yaml"
    path.write_text(MANIFEST.format(url=server.base_url, model=model))
    server.when().says("Done.")
    return agency("run", path, "Go", folder=folder, environ=environ)


@pytest.mark.parametrize(
    ("model", "name", "path", "key"),
    [
        ("deployed", "my-gpt-5-deployment", "/v1/responses", "Bearer az-key-1"),
        ("routed", "anthropic/claude-sonnet-4.5", "/v1/chat/completions", "Bearer or-key-1"),
        ("small", "llama3.3:70b", "/v1/chat/completions", None),
    ],
)
def test_each_provider_gets_its_own_key_its_api_and_the_name_as_written(
    tmp_path, fake_server, model, name, path, key
):
    done = run(tmp_path, fake_server, model, **KEYS)
    assert (done.code, done.out.strip()) == (0, "Done."), done.err
    (request,) = fake_server.requests
    assert (request.model, request.path) == (name, path)
    if key is not None:
        assert request.headers["authorization"] == key
    assert not {"az-key-1", "or-key-1"} & set(" ".join(request.headers.values()).split()) - {
        (key or "").removeprefix("Bearer ")
    }


def test_headers_of_a_provider_go_with_every_request(tmp_path, fake_server):
    run(tmp_path, fake_server, "routed", **KEYS, MORE_KEY="more-key-1")
    headers = fake_server.requests[0].headers
    assert headers["http-referer"] == "https://example.org"
    assert headers["x-title"] == "House"
    assert headers["x-key"] == "more-key-1"


def test_usage_is_asked_for_in_the_streams_of_compatible_servers(tmp_path, fake_server):
    run(tmp_path, fake_server, "routed", **KEYS)
    assert fake_server.requests[0].body["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize(
    ("model", "name"), [("deployed", "AZURE_OPENAI_API_KEY"), ("routed", "OPENROUTER_API_KEY")]
)
def test_a_key_that_is_not_set_is_told_before_anything_is_sent(tmp_path, fake_server, model, name):
    done = run(tmp_path, fake_server, model)
    assert done.code == 6
    assert f"{name} is not set (needed by one)" in done.err
    assert fake_server.requests == []


def test_a_model_of_litellm_says_what_it_needs(tmp_path, fake_server):
    try:
        import litellm  # noqa: F401, PLC0415 - it is an extra, and takes seconds
    except ImportError:
        done = run(tmp_path, fake_server, "litellm/anthropic/claude-sonnet-4.5")
        assert done.code == 2
        assert "pip install 'agency-cli[litellm]'" in done.err
    else:
        pytest.skip("litellm is installed")
