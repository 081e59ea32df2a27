/**
 * Sessions that wait for a login: every runner that was heard of lately and runs
 * their agent has one whose limit is used up.
 *
 * @module
 */

/** A runner that was not heard of for so long is away. */
export const RUNNER_AWAY = "2 minutes";

/**
 * Until when, of `sessions s`: null where a runner would take it, and where
 * there is none.
 */
export const REFUSED_UNTIL =
  `(select case when count(*) = count(l.id) then min(l.rejected_until) end
    from runners r left join logins l on l.account = 'runner-' || r.id
      and l.runtime = s.agent_runtime and l.rejected_until > now()
    where r.revoked_at is null and r.seen_at > now() - interval '${RUNNER_AWAY}'
      and s.agent_runtime = any (r.runtimes))`;

/** The same where that is why it is queued. */
export const QUEUED_REFUSED_UNTIL =
  `case when s.status = 'waiting' and s.wait_reason = 'queued'
    then ${REFUSED_UNTIL} end`;
