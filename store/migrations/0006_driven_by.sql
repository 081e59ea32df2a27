-- compatible
-- Who carries out a session's turns: a runner of this program, or the client
-- that connects as the session. Everything registered so far is a client's.
alter table sessions add column driven_by text not null default 'client'
  check (driven_by in ('client', 'runner'));
