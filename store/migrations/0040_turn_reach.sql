-- compatible
-- When a turn's token first came to the MCP endpoint; null: it has not yet.
alter table turns add column mcp_called_at timestamptz;
