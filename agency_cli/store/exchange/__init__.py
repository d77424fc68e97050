"""Runs as a file of JSON lines: written from one store, read into another."""

from agency_cli.store.exchange.exporting import export_lines
from agency_cli.store.exchange.inserting import Imported, insert_runs
from agency_cli.store.exchange.reading import read_export

__all__ = ["Imported", "export_lines", "insert_runs", "read_export"]
