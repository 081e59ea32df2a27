/**
 * `runner`: runs agents for a server; and the runners that a server knows.
 *
 * @module
 */
import {
  drainRunner,
  findRunner,
  insertRunner,
  listRunners,
  revokeRunner,
  type Runner,
} from "../../../store/turns/mod.ts";
import type { Store } from "../../../store/mod.ts";
import { buildStore } from "../../app/parts.ts";
import { print, printJson, table } from "../../output.ts";
import { ConfigError, settingsOf } from "../../settings/config.ts";
import { type Call, defineVerb } from "../../verb.ts";
import { installAgent } from "./install.ts";
import { runHere } from "./run.ts";

/** The verb. */
export const runner = defineVerb({
  summary:
    "Runs agents for a server. register makes a runner's token, list shows the runners, drain and resume stop and let them take turns, revoke takes a token away, install puts an agent's package into the runner's folder.",
  words: "[register|list|drain|resume|revoke|install] [NAME|ID]",
  maxWords: 2,
  flags: {
    server: { type: "string", meaning: "address of the server, without path" },
    "token-file": {
      type: "string",
      meaning: "file whose first line is the runner's token",
    },
    slots: { type: "string", meaning: "turns at once; default 2" },
    folder: { type: "string", meaning: "folder of the runner's own" },
    labels: { type: "string", meaning: "comma list to tell runners apart by" },
    child: {
      type: "boolean",
      meaning:
        "as `start` runs it: the token comes on standard input, whose end ends it",
    },
    yes: { type: "boolean", meaning: "install: without asking" },
    json: { type: "boolean", meaning: "print JSON" },
  },
  settings: settingsOf("database", "runner", "log"),
  async run(call, config) {
    const [action, name] = call.words;
    if (action === undefined) return await runHere(call, config);
    if (action === "install") return await installAgent(call, config, name);
    await using store = buildStore(config);
    return await manage(call, store, { action, name });
  },
});

async function manage(
  call: Call,
  store: Store,
  { action, name }: {
    readonly action: string;
    readonly name: string | undefined;
  },
): Promise<number> {
  const db = await store.db();
  switch (action) {
    case "register": {
      const label = (name ?? "runner").slice(0, 100);
      const made = await db.transaction((tx) => insertRunner(tx, label));
      if (call.flags.json === true) printJson({ ...made, name: label });
      else {
        print(`Runner ${made.id} "${label}" is registered`);
        print(`Token, shown only now: ${made.token}`);
        print("");
        print("Put it into a file that only the runner's user can read, then:");
        print("  deno task runner --server URL --token-file FILE");
      }
      return 0;
    }
    case "list":
      return list(call, await listRunners(db));
    case "drain":
    case "resume": {
      const { id } = await find(store, name);
      await drainRunner(db, id, action === "drain");
      print(
        action === "drain"
          ? `Runner ${id} takes no new turns; those under way go on`
          : `Runner ${id} takes turns again`,
      );
      return 0;
    }
    case "revoke": {
      const { id } = await find(store, name);
      await revokeRunner(db, id);
      print(
        `Runner ${id} is revoked: its token opens nothing, and its sessions go to others, with new trees`,
      );
      return 0;
    }
    default:
      throw new ConfigError([
        `runner has no action "${action}"; actions: register, list, drain, resume, revoke, install; without one it runs agents`,
      ]);
  }
}

function list(call: Call, runners: readonly Runner[]): number {
  if (call.flags.json === true) {
    printJson(runners.map((one) => ({
      id: one.id,
      name: one.name,
      runtimes: one.runtimes,
      slots: one.slots,
      turns: one.turns,
      draining: one.isDraining,
      seen_seconds_ago: one.seenSecondsAgo,
    })));
    return 0;
  }
  if (runners.length === 0) {
    print("No runners; deno task runner register NAME makes a token for one");
    return 0;
  }
  print(table([
    ["ID", "NAME", "RUNTIMES", "TURNS", "SEEN", ""],
    ...runners.map((one) => [
      String(one.id),
      one.name,
      one.runtimes.join(", ") || "-",
      `${one.turns} of ${one.slots}`,
      one.seenSecondsAgo === null
        ? "never"
        : `${Math.round(one.seenSecondsAgo)} s ago`,
      one.isDraining ? "draining" : "",
    ]),
  ]));
  return 0;
}

async function find(store: Store, name: string | undefined): Promise<Runner> {
  const id = /^[1-9][0-9]{0,15}$/.test(name ?? "") ? Number(name) : undefined;
  if (id === undefined) {
    throw new ConfigError([
      "Name the runner by its number; deno task runner list shows them",
    ]);
  }
  const found = await findRunner(await store.db(), id);
  if (found !== undefined) return found;
  throw new ConfigError([`There is no runner ${id}`]);
}
