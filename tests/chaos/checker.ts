/**
 * Looks for lies, all the time: a session that is said to run and does not, one
 * that works and is said to rest, two turns at once.
 *
 * @module
 */
import type { FleetWorld } from "./fleet_world.ts";

/** A look that goes on until it is stopped. */
export interface Checker {
  /** How often it looked and got an answer. */
  readonly looks: number;
  /** Stops it. */
  stop(): Promise<void>;
}

/** By one statement, so that it is of one moment. */
const LIES =
  `select s.id, s.status, array_agg(t.phase) filter (where t.phase is not null) as phases,
    (select count(*)::int from enqueued_messages m
      where m.session_id = s.id and m.status = 'processing') as processing
  from sessions s left join turns t on t.session_id = s.id
    and t.phase in ('leased', 'spawned', 'delivered')
  group by s.id
  having (s.status = 'running') <> (count(t.id) = 1) or count(t.id) > 1
    or (count(t.id) = 0 and (select count(*) from enqueued_messages m
      where m.session_id = s.id and m.status = 'processing') > 0
      and not exists (select from turns r where r.session_id = s.id
        and r.phase = 'queued'))`;

/** States that a session may be told to be in here. */
const STATES = ["waiting", "running", "needs_input"];
const PAUSE_MS = 100;

/** Begins to look. */
export function watchForLies(
  world: FleetWorld,
  ids: readonly number[],
  tell: (lie: string) => void,
): Checker {
  let isStopped = false;
  let looks = 0;
  const work = (async () => {
    for (let n = 0; !isStopped; n++) {
      for (const row of await world.db.read(LIES).catch(() => [])) {
        tell(
          `Session ${row.id} is ${row.status} with turns ${
            JSON.stringify(row.phases)
          } and ${row.processing} messages in delivery`,
        );
      }
      const server = world.servers[n % world.servers.length];
      const id = ids[n % ids.length];
      const told = await ask(`${server?.url}`, id, world.key);
      if (told !== undefined) {
        looks++;
        const lie = lieOf(told);
        if (lie !== undefined) tell(`get_session of ${id}: ${lie}`);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  return {
    get looks() {
      return looks;
    },
    async stop() {
      isStopped = true;
      await work;
    },
  };
}

interface Told {
  readonly status: string;
  readonly text: string;
}

function lieOf({ status, text }: Told): string | undefined {
  if (!STATES.includes(status)) {
    return `it is ${status}: ${text.slice(0, 1_500)}`;
  }
  if (status === "running" && !/runner/i.test(text)) {
    return "it is running, and no runner is named";
  }
  return undefined;
}

/** What `get_session` says; undefined where the server cannot answer now. */
async function ask(
  url: string,
  id: number | undefined,
  key: string,
): Promise<Told | undefined> {
  try {
    const response = await fetch(`${url}/mcp?tool_groups=sessions`, {
      method: "POST",
      headers: {
        "x-api-key": key,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_session", arguments: { id } },
      }),
    });
    const { result } = await response.json();
    if (result === undefined || result.isError === true) return undefined;
    return {
      status: String(result.structuredContent.status),
      text: String(result.content[0].text),
    };
  } catch {
    return undefined;
  }
}
