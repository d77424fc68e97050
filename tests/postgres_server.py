"""A real server of Postgres, of its own, in a temporary folder, on a port of this machine."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

USER, PASSWORD = "keeper", "Sesame-4711"
"""The one who owns the databases of tests."""
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    # Tests kill processes, not machines.
    "fsync": "off",
    "max_connections": "80",
    "shared_buffers": "16MB",
    "unix_socket_directories": "",
    # What the server says must not depend on whose machine it is.
    "lc_messages": "C",
}
LONGEST = 60.0
"""Seconds after which a server that does not answer is given up; no promise of speed."""


def programs() -> Path | None:
    """Return the folder of Postgres' programs; None where there is none."""
    found = shutil.which("initdb")
    if found is not None and Path(found).resolve().with_name("postgres").exists():
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    return versions[-1].parent if versions else None


def _version(initdb: Path) -> float:
    return float(initdb.parts[-3])


@dataclass
class PostgresServer:
    """A server that is up, until it is stopped."""

    programs: Path
    folder: Path = field(init=False)
    port: int = field(init=False)
    _process: subprocess.Popen[bytes] | None = None
    _made: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="agency-postgres-"))
        self.folder.chmod(0o755)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        data, key = self.folder / "data", self.folder / "key"
        data.mkdir(mode=0o700)
        key.write_text(PASSWORD)
        if os.geteuid() == 0:
            for path in (data, key):
                shutil.chown(path, *_other_user())
        self._done(
            "initdb", "-D", data, "-U", USER, "--auth=scram-sha-256", f"--pwfile={key}", "-N",
            "--encoding=UTF8", "--no-locale",
        )  # fmt: skip
        self.start()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = [f"--{name}={value}" for name, value in (SETTINGS | {"port": self.port}).items()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self.programs / "postgres"), "-D", str(self.folder / "data"), *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **_as_other_user(),
            )  # fmt: skip
        deadline = time.monotonic() + LONGEST
        while not self._answers():
            log_text = (self.folder / "log").read_text()
            assert self._process.poll() is None, log_text
            assert time.monotonic() < deadline, log_text
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop it as a restart does: connections are cut, nothing committed is lost."""
        assert self._process is not None
        self._process.send_signal(2)  # SIGINT: fast shutdown
        self._process.wait(LONGEST)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def database(self) -> str:
        """Make a database; return its URL, with the password."""
        name = f"store_{secrets.token_hex(4)}"
        self.psql(f"CREATE DATABASE {name}")
        self._made.append(name)
        return self.url(name)

    def drop_databases(self) -> None:
        """Drop what was made, and cut whoever is connected with it."""
        while self._made:
            self.psql(f"DROP DATABASE {self._made.pop()} WITH (FORCE)")

    def url(self, database: str, user: str = USER, password: str | None = PASSWORD) -> str:
        key = "" if password is None else f":{password}"
        return f"postgresql+psycopg://{user}{key}@127.0.0.1:{self.port}/{database}"

    def psql(self, statement: str, database: str = "postgres") -> str:
        """Run one statement as the owner; return what it gives, unadorned."""
        import psycopg  # noqa: PLC0415 - an extra

        place = self.url(database).replace("+psycopg", "")
        with psycopg.connect(place, autocommit=True) as connection:
            cursor = connection.execute(statement)
            rows = cursor.fetchall() if cursor.description else []
        return "\n".join("|".join(str(value) for value in row) for row in rows)

    def _answers(self) -> bool:
        try:
            return self.psql("SELECT 1") == "1"
        except Exception:  # noqa: BLE001 - whatever a server says that is not yet up
            return False

    def _done(self, program: str, *arguments: object) -> None:
        line = [str(self.programs / program), *map(str, arguments)]
        subprocess.run(line, check=True, capture_output=True, cwd="/", **_as_other_user())


def _as_other_user() -> dict[str, object]:
    """Postgres refuses to be run by root."""
    if os.geteuid() != 0:
        return {}
    user, group = _other_user()
    return {"user": user, "group": group, "extra_groups": []}


def _other_user() -> tuple[int, int]:
    import pwd  # noqa: PLC0415 - not on Windows

    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return entry.pw_uid, entry.pw_gid
