"""A real browser for the pages that the program writes, and what it noticed while it showed one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass
class Shown:
    """A page in the browser, with all that it loaded and complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start a browser; where none is installed the test is skipped, but in CI it fails."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        if os.environ.get("AGENCY_REQUIRE_BROWSER") == "1":
            pytest.fail("no browser is installed; install Debian's chromium")
        pytest.skip("no browser is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@contextmanager
def shown(browser: Browser, path: Path, **options: Any) -> Iterator[Shown]:
    """Open a file in a fresh window."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    result = Shown(context.new_page())
    page = result.page
    page.on("request", lambda request: result.requests.append(request.url))
    page.on("console", lambda message: result.complaints.append(message.text))
    page.on("pageerror", lambda error: result.complaints.append(str(error)))
    page.on("dialog", lambda dialog: result.complaints.append(dialog.message))
    page.goto(path.as_uri())
    yield result
    context.close()
