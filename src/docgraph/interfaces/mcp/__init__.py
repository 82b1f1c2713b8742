"""The MCP door: tools that read, for clients that speak the Model Context Protocol."""
