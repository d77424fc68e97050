"""Formats of extra params: each is held against texts, and no other is let pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agency_cli.checks.formats import FORMATS, has_format
from agency_cli.strictness import FORMATS as STRICT_FORMATS

CASES = {
    "date": (
        ["2026-02-28", "2024-02-29"],
        ["2026-02-30", "2026-2-3", "20260228", "", "٢٠٢٦-٠٢-٢٨"],
    ),
    "time": (
        ["10:00:00Z", "23:59:60Z", "10:00:00.25+02:00", "10:00:00z"],
        ["10:00:00", "10:00Z", "24:00:00Z", "10:60:00Z", "10:00:00+25:00", "10:00:00Z\n"],
    ),
    "date-time": (
        ["2026-02-28T10:00:00Z", "2026-02-28t10:00:00.5-08:00"],
        ["2026-02-28", "2026-02-30T10:00:00Z", "2026-02-28 10:00:00Z", "2026-02-28T10:00:00", "T"],
    ),
    "duration": (
        ["P1D", "PT36H", "P1Y2M3DT4H5M6S", "P4W", "P1Y2D"],
        ["P", "PT", "P1DT", "1D", "P1H", "P1D2M", "P1W2D", "-P1D", "P1D\n"],
    ),
    "email": (
        ["ann@example.org", "a.b+c@sub.example.org", '"ann lee"@example.org', "root@localhost"],
        [
            "@",
            "ann@",
            "@example.org",
            "ann lee@example.org",
            "a@b@c",
            "a..b@c.de",
            ".a@b.de",
            "a@-b",
        ],
    ),
    "hostname": (
        ["example.org", "localhost", "xn--4gbwdl.xn--wgbh1c", "a" * 63 + ".de"],
        ["", "-a.de", "a-.de", "a_b.de", "a..de", "a" * 64, ".".join(["abc"] * 64), "ä.de"],
    ),
    "ipv4": (["127.0.0.1"], ["127.0.0", "256.0.0.1", "127.0.0.01", "1.2.3.4/8", "::1"]),
    "ipv6": (["::1", "2001:db8::1"], ["127.0.0.1", "fe80::1%eth0", "::1::", "12345::"]),
    "uri": (
        [
            "https://example.org/a?b=c#d",
            "mailto:a@b.org",
            "urn:isbn:0451450523",
            "http://[::1]:80/",
        ],
        [
            "",
            "example.org",
            "/a/b",
            "https://",
            "http:///a",
            "https://a b",
            "http://a:b/",
            "a:",
            "1a:b",
            "https://ä.de",
            "http://a/%zz",
            "http://[::1",
        ],
    ),
    "uri-reference": (
        ["/a/b", "#top", "../x?y=z", "https://a.de", ""],
        ["a b", "\\x", "http://", "%"],
    ),
    "uuid": (
        ["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
        [
            "2eb8aa08aa9811eab4aa73b441d16380",
            "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
            "2eb8aa08",
            "",
        ],
    ),
    "regex": (["^a+$", "", "[a-z]"], ["[", "(", "a**"]),
    "json-pointer": (["", "/a/0", "/a~1b~0"], ["a", "/~2", "/~"]),
}


def test_each_format_has_its_cases():
    assert CASES.keys() == FORMATS.keys()


def test_what_a_provider_keeps_is_checked_here_too():
    assert FORMATS.keys() >= STRICT_FORMATS


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, (good, _) in CASES.items() for text in good]
)
def test_a_text_of_the_format_passes(name, text):
    assert has_format(name, text)


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, (_, bad) in CASES.items() for text in bad]
)
def test_a_text_that_only_looks_like_it_does_not(name, text):
    assert not has_format(name, text)


@given(name=st.sampled_from(sorted(FORMATS)), text=st.text(max_size=60))
def test_no_text_whatever_breaks_a_format(name, text):
    assert has_format(name, text) in {True, False}
