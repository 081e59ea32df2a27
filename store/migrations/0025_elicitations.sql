-- compatible
-- A session whose agent asks a question keeps what it is to do at the end of
-- its turn: it goes on with that turn once it is answered.
alter table sessions drop constraint sessions_pending_sleep;
alter table sessions add constraint sessions_pending_sleep
  check (pending_sleep is null or status = 'running'
    or (status = 'needs_input' and paused_by = 'elicitation'));
