"""The library for agents: five read-only tools over the Model Context Protocol."""
