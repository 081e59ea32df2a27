/**
 * `records list|empty|drop|move`: what an operator does to root data by hand.
 *
 * What changes something shows what it would do, and does it with `--yes`.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import {
  countHeld,
  dropNamespace,
  emptyHeld,
  type Holding,
  listNamespaces,
  moveHeld,
  planMove,
} from "../../store/root_data/mod.ts";
import { StoreRefusalError } from "../../store/mod.ts";
import { ConfigError, settingsOf } from "../settings/config.ts";
import { printError, printJson } from "../output.ts";
import { buildStore } from "../app/parts.ts";
import { type Call, defineVerb, textFlag } from "../verb.ts";

const NAMESPACES_SHOWN = 1_000;

/** The verb. */
export const records = defineVerb({
  summary:
    "Shows what is stored, empties a collection, drops a namespace or moves one. Changes nothing without --yes.",
  words: "list|empty|drop|move",
  maxWords: 1,
  flags: {
    namespace: { type: "string", meaning: "list, empty, drop: the namespace" },
    collection: {
      type: "string",
      meaning: "empty, move: only this collection",
    },
    from: {
      type: "string",
      meaning: "move: the namespace that has the records",
    },
    to: { type: "string", meaning: "move: the namespace that gets them" },
    yes: { type: "boolean", meaning: "do it; without, it is only shown" },
  },
  settings: settingsOf("database", "log"),
  async run(call, config) {
    const action = actionOf(call);
    await using store = buildStore(config);
    try {
      return await action(await store.db());
    } catch (error) {
      if (!(error instanceof StoreRefusalError)) throw error;
      throw new ConfigError([error.message]);
    }
  },
});

/** Reads the words and flags before the database is opened. */
function actionOf(call: Call): (db: Db) => Promise<number> {
  const isDone = call.flags.yes === true;
  const collection = textFlag(call, "collection");
  const [action] = call.words;
  switch (action) {
    case "list": {
      assertOnly(call, action, ["namespace"]);
      return (db) => list(db, textFlag(call, "namespace"));
    }
    case "empty": {
      assertOnly(call, action, ["namespace", "collection", "yes"]);
      const holding = {
        namespace: required(call, action, "namespace"),
        collection: required(call, action, "collection"),
      };
      return (db) => remove(db, holding, { isDone, all: emptyHeld });
    }
    case "drop": {
      assertOnly(call, action, ["namespace", "yes"]);
      const holding = { namespace: required(call, action, "namespace") };
      return (db) =>
        remove(db, holding, {
          isDone,
          all: (db, { namespace }) => dropNamespace(db, namespace),
        });
    }
    case "move": {
      assertOnly(call, action, ["from", "to", "collection", "yes"]);
      const from = { namespace: required(call, action, "from"), collection };
      const to = required(call, action, "to");
      return (db) => move(db, from, { to, isDone });
    }
    default:
      throw new ConfigError([
        `records needs one of list, empty, drop, move: it got ${
          action === undefined ? "none" : `"${action}"`
        }`,
      ]);
  }
}

async function list(db: Db, namespace: string | undefined): Promise<number> {
  if (namespace !== undefined) {
    const collections = await countHeld(db, { namespace });
    printJson({ namespace, collections });
    return isThere(namespace, collections) ? 0 : 1;
  }
  const page = { limit: NAMESPACES_SHOWN, offset: 0 };
  const { namespaces, total } = await listNamespaces(db, page);
  printJson({ namespaces });
  if (total > namespaces.length) {
    printError(`${total - namespaces.length} more namespaces are left out`);
  }
  return 0;
}

async function remove(
  db: Db,
  holding: Holding,
  { isDone, all }: {
    readonly isDone: boolean;
    readonly all: (db: Db, holding: Holding) => Promise<number>;
  },
): Promise<number> {
  const collections = await countHeld(db, holding);
  const there = isThere(holding.namespace, collections);
  // A namespace that is dropped may have counters and nothing else.
  const deleted = isDone ? await all(db, holding) : 0;
  printJson({ ...holding, collections, deleted });
  if (there) sayIfShown(isDone);
  return there ? 0 : 1;
}

async function move(
  db: Db,
  from: Holding,
  { to, isDone }: { readonly to: string; readonly isDone: boolean },
): Promise<number> {
  const collections = await (isDone ? moveHeld : planMove)(db, from, to);
  printJson({
    from: from.namespace,
    to,
    collections: collections.map(({ keyTaken, noRoom, ...one }) => ({
      ...one,
      stay_key_taken: keyTaken,
      stay_no_room: noRoom,
    })),
    done: isDone,
  });
  if (!isThere(from.namespace, collections)) return 1;
  sayIfShown(isDone);
  const isWhole = collections.every(({ keyTaken, noRoom }) =>
    keyTaken + noRoom === 0
  );
  if (!isWhole) printError("Some records stay where they are");
  return isWhole ? 0 : 1;
}

function isThere(namespace: string, collections: readonly unknown[]): boolean {
  if (collections.length > 0) return true;
  printError(`Nothing is stored there: is "${namespace}" the right name?`);
  return false;
}

function sayIfShown(isDone: boolean): void {
  if (!isDone) printError("Nothing was changed: --yes does it");
}

function required(call: Call, action: string, flag: string): string {
  const value = textFlag(call, flag);
  if (value !== undefined) return value;
  throw new ConfigError([`records ${action} needs --${flag} NAME`]);
}

/** A flag that does nothing here was meant for something else. */
function assertOnly(
  call: Call,
  action: string,
  flags: readonly string[],
): void {
  const own = ["namespace", "collection", "from", "to", "yes"];
  const odd = own.find((flag) =>
    call.flags[flag] !== undefined && !flags.includes(flag)
  );
  if (odd === undefined) return;
  throw new ConfigError([`records ${action} does not use --${odd}`]);
}
