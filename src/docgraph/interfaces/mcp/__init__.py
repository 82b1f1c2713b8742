"""The MCP interface: read-only tools of the Model Context Protocol."""
