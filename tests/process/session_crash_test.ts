import { deepEqual, equal, ok } from "node:assert/strict";
import { assertAllowed } from "../support/allowed_states.ts";
import { type FireHome, openFireHome, ROOT } from "../support/fire.ts";
import { type ServerProcess, startServer } from "../support/process.ts";

const KEY = "key-of-the-crash-test";
/** Clients at once, each with a session of its own. */
const LANES = 6;
/** Acknowledged steps after which the server is killed. */
const STEPS = 90;

/** What one client did, and knows to be done. */
interface Lane {
  readonly name: string;
  readonly sessionId: number;
  /** Contents of messages that were acknowledged, with their ids. */
  readonly queued: Map<string, number>;
  /** Contents of messages whose deletion was acknowledged. */
  readonly deleted: Set<string>;
  /** Idempotency keys of sessions whose start was acknowledged, with their ids. */
  readonly started: Map<string, number>;
  /** What the step that got no answer is about. */
  lost?: { readonly content?: string; readonly key?: string };
}

/** The structured answer of a tool; undefined where none came. */
async function call(
  server: ServerProcess,
  name: string,
  args: Readonly<Record<string, unknown>>,
  // deno-lint-ignore no-explicit-any -- the test looks into answers freely
): Promise<any> {
  let text: string;
  try {
    const response = await fetch(`${server.url}?tool_groups=sessions`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }),
    });
    text = await response.text();
  } catch {
    return undefined;
  }
  const { result } = JSON.parse(text);
  ok(result?.isError !== true, text);
  return result.structuredContent;
}

async function openLane(server: ServerProcess, name: string): Promise<Lane> {
  const { session_id: id } = await call(server, "start_session", {
    agent_root: ROOT,
    prompt: name,
  });
  return {
    name,
    sessionId: id,
    queued: new Map(),
    deleted: new Set(),
    started: new Map(),
  };
}

/** One step; false when no answer came. */
async function step(
  server: ServerProcess,
  lane: Lane,
  at: number,
): Promise<boolean> {
  const content = `${lane.name}/${at}`;
  if (at % 5 === 4) {
    lane.lost = { key: content };
    const made = await call(server, "start_session", {
      agent_root: ROOT,
      prompt: content,
      idempotency_key: content,
    });
    if (made !== undefined) lane.started.set(content, made.session_id);
    return made !== undefined;
  }
  const [oldest] = lane.queued;
  const queue = (args: Readonly<Record<string, unknown>>) =>
    call(server, "manage_enqueued_messages", {
      session_id: lane.sessionId,
      ...args,
    });
  if (at % 5 === 3 && oldest !== undefined) {
    const [content, id] = oldest;
    lane.lost = { content };
    lane.queued.delete(content);
    if (await queue({ action: "delete", message_id: id }) === undefined) {
      return false;
    }
    lane.deleted.add(content);
    return true;
  }
  if (at % 5 === 2 && oldest !== undefined) {
    lane.lost = {};
    return await queue({
      action: "reorder",
      message_id: oldest[1],
      position: lane.queued.size,
    }) !== undefined;
  }
  lane.lost = { content };
  const action = at % 5 === 1 ? "send_now" : "create";
  const made = await queue({ action, content });
  if (made !== undefined) lane.queued.set(content, made.message_id);
  return made !== undefined;
}

/** What is stored is what was acknowledged; the lost step may stand or not. */
async function assertKept(
  { db }: FireHome,
  server: ServerProcess,
  lane: Lane,
): Promise<void> {
  const rows = await db.read<{ id: string; content: string; position: number }>(
    `select id, content, position from enqueued_messages
     where session_id = $1 order by position`,
    [lane.sessionId],
  );
  const places = rows.map(({ position }) => position);
  deepEqual(places, places.map((_, index) => index + 1), lane.name);
  const contents = rows.map(({ content }) => content);
  equal(new Set(contents).size, contents.length, `${lane.name}: one twice`);
  deepEqual(
    contents.filter((one) => one !== lane.lost?.content).sort(),
    [...lane.queued.keys()].filter((one) => one !== lane.lost?.content).sort(),
    lane.name,
  );
  ok(!contents.some((one) => lane.deleted.has(one)), `${lane.name}: came back`);
  // The retry finds what the lost call made, or makes it.
  const keys = [...lane.started.keys(), lane.lost?.key ?? []].flat();
  for (const key of keys) {
    const { session_id: id } = await call(server, "start_session", {
      agent_root: ROOT,
      prompt: key,
      idempotency_key: key,
    });
    equal(id, lane.started.get(key) ?? id);
    const [row] = await db.read<{ sessions: number; turns: number }>(
      `select count(distinct s.id)::int as sessions, count(t.id)::int as turns
       from sessions s left join turns t on t.session_id = s.id
       where s.idempotency_key = $1`,
      [key],
    );
    deepEqual({ ...row }, { sessions: 1, turns: 1 }, key);
  }
}

Deno.test("[behaviour 11] a server killed between acknowledged steps loses none of them and does none twice", async () => {
  await using home = await openFireHome();
  const env = { ...home.env, API_KEYS: KEY };
  await using doomed = await startServer(env);
  const names = Array.from({ length: LANES }, (_, n) => `lane${n}`);
  const lanes = await Promise.all(names.map((name) => openLane(doomed, name)));
  const killed = Promise.withResolvers<void>();
  let steps = 0;
  const running = lanes.map(async (lane) => {
    for (let at = 0; await step(doomed, lane, at); at++) {
      if (++steps === STEPS) {
        doomed.stop("SIGKILL").then(() => killed.resolve(), killed.reject);
      }
    }
  });
  await Promise.all([...running, killed.promise]);
  await using next = await startServer(env);
  for (const lane of lanes) await assertKept(home, next, lane);
  await assertAllowed(home.db, "after the kill");
});
