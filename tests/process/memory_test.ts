/** Memory over real processes: one agent remembers what another was told. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  openHome,
  runVerb,
  startServer,
  startStdio,
  type StdioProcess,
  waitForCluster,
} from "../support/process.ts";

const GARDENER = ["--root", "gardener"];
const LIBRARIAN = ["--root", "librarian"];
const PREFERENCE = {
  kind: "learning",
  learning_kind: "preference",
  text: "The user wants answers in short sentences",
};
const TALK = {
  kind: "conversation",
  turns: [
    { role: "user", text: "Please water the roses" },
    { role: "assistant", text: "Done" },
  ],
};

// deno-lint-ignore no-explicit-any -- tests look into results freely
type Data = any;

async function call(
  server: StdioProcess,
  name: string,
  args: object = {},
): Promise<Data> {
  const result = await server.call(name, args);
  ok(result.isError !== true, JSON.stringify(result));
  return result.structuredContent;
}

/** What an agent other than the gardener finds. */
async function expectKnown(server: StdioProcess): Promise<void> {
  const found = await call(server, "recall_memory", {
    query: "short sentences",
  });
  deepEqual(
    found.items.map((one: Data) => [one.text, one.agent, one.node]),
    [[PREFERENCE.text, "gardener", "root"]],
  );
  const team = await call(server, "get_conversation_history", { who: "team" });
  deepEqual(
    team.turns.map((one: Data) => [one.role, one.text, one.agent]),
    TALK.turns.map(({ role, text }) => [role, text, "gardener"]),
  );
  const self = await call(server, "get_conversation_history");
  deepEqual(self.turns, []);
}

Deno.test("session 2 of another agent recalls what session 1 stored, with everything stopped between, and nothing of another person", async () => {
  await using home = await openHome({ CORTEX_SCOPE_ROOT: "org:1" });
  const seven = { ...home.env, CORTEX_SCOPE_ROOT: "org:7" };
  {
    await using other = startStdio(GARDENER, seven);
    await call(other, "store_memory", { ...PREFERENCE, text: "SEVEN short" });
    await call(other, "store_memory", {
      ...TALK,
      turns: [{ role: "user", text: "SEVEN talks" }],
    });
    await using server = startStdio(GARDENER, home.env);
    equal((await call(server, "store_memory", PREFERENCE)).result, "stored");
    await call(server, "store_memory", TALK);
    equal((await server.end()).code, 0);
    equal((await other.end()).code, 0);
  }
  await waitForCluster(home.home, "stopped");
  await using server = startStdio(LIBRARIAN, home.env);
  await expectKnown(server);
  for (
    const [name, args] of [
      ["list_memories", { node: "root", reach: "below" }],
      ["list_memory_nodes", {}],
      ["recall_memory", { query: "SEVEN", node: "root", reach: "below" }],
      ["get_conversation_history", { who: "team", limit: 100 }],
      ["erase_memory", { node: "root", include_below: true }],
    ] as const
  ) {
    const { query: _, ...data } = await call(server, name, args);
    ok(!/SEVEN|org:7/.test(JSON.stringify(data)), name);
  }
  const refused = await server.call("recall_memory", {
    query: "SEVEN",
    node: "org:7",
  });
  match(refused.content[0].text, /Cannot read node "org:7"/);
  await server.end();
});

Deno.test("what memory acknowledged survives kill -9 of the process and of PostgreSQL", async () => {
  await using home = await openHome();
  const server = startStdio(GARDENER, home.env);
  await call(server, "store_memory", PREFERENCE);
  await call(server, "store_memory", TALK);
  await server.kill("SIGKILL");
  const pid = Number(
    (await Deno.readTextFile(`${home.home}/data/postmaster.pid`)).split(
      "\n",
    )[0],
  );
  Deno.kill(pid, "SIGKILL");
  await using next = startStdio(LIBRARIAN, home.env);
  await expectKnown(next);
  // The first agent, sending again what it does not know the end of.
  await using again = startStdio(GARDENER, home.env);
  const { result } = await call(again, "store_memory", PREFERENCE);
  equal(result, "already_stored");
  await again.end();
  await next.end();
});

Deno.test("servers with databases of their own share the memory of a CortexDB that another process serves", async () => {
  await using home = await openHome();
  await using cortex = await startServer(home.env, [], { verb: "cortex" });
  const key = (await Deno.readTextFile(`${home.home}/api-key`)).trim();
  const env = { CORTEX_URL: cortex.url, CORTEX_API_KEY: key };
  await using two = await openHome(env);
  await using first = startStdio(GARDENER, { ...home.env, ...env });
  await call(first, "store_memory", PREFERENCE);
  await call(first, "store_memory", TALK);
  await using second = startStdio(LIBRARIAN, two.env);
  await expectKnown(second);
  const status = await call(second, "get_memory_status");
  deepEqual([status.state, status.service], ["healthy", cortex.url]);
  const doctor = await runVerb(["doctor", "--json"], {
    ...two.env,
    CORTEX_API_KEY: "wrong-key",
  });
  equal(doctor.code, 1);
  match(doctor.stdout, /"memory",\s+"verdict": "wrong"/);
  match(doctor.stdout, /check CORTEX_API_KEY and CORTEX_ACTOR/);
  ok(!(doctor.stdout + doctor.stderr).includes("wrong-key"));
  await first.end();
  await second.end();
});

Deno.test("a setting of memory that is wrong stops the start, in one line and without the key", async () => {
  await using home = await openHome({
    CORTEX_URL: "http://far.example",
    CORTEX_API_KEY: "s3cret-1",
  });
  const { code, stdout, stderr } = await runVerb(["stdio"], home.env);
  deepEqual([code, stdout, stderr.trim()], [
    2,
    "",
    "CORTEX_URL: is http: and not on loopback; use https:",
  ]);
});
