-- compatible
-- Substrings of what a session is called and of its two kinds of metadata, in
-- PostgreSQL's own spelling of JSON. Where the extension cannot be had, the same
-- condition is answered by reading the rows.
do $$
begin
  create extension if not exists pg_trgm;
  create index sessions_search on sessions using gin
    (lower(title || E'\n' || metadata::text || E'\n' || custom_metadata::text) gin_trgm_ops);
exception
  when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
    raise notice 'sessions are searched without an index: %', sqlerrm;
end $$;
