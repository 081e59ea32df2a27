-- compatible
-- What changed last, for boards that are open: looked at each second, and only
-- while somebody has one open.
create index sessions_changed on sessions (updated_at desc);
