"""Tools of MCP servers: one connection a server, shared by all agents of an agency."""

from agency_cli.tools.mcp.agent import AgencyAgent
from agency_cli.tools.mcp.servers import Servers, try_servers

__all__ = ["AgencyAgent", "Servers", "try_servers"]
