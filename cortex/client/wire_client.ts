/**
 * The client of a wire's table. Everything that does not depend on the wire is
 * here: the order of checks, what a 404 means, writes that are split, listings
 * that go on.
 *
 * @module
 */

import { CortexRefusalError } from "../errors.ts";
import type { Wire } from "../words.ts";
import type { ApiRequest, CortexChannel } from "./channel.ts";
import type { CortexClient, WriteOptions } from "./client_types.ts";
import {
  OPERATION_NAMES,
  type Operations,
  type WireTable,
} from "./operations.ts";
import { checkDrafts, unsupported } from "./request_checks.ts";
import type { AppendReceipt } from "./wire.ts";

const SCOPES_PER_LISTING = 1_000;
/** Where a listing has a cursor, how often it is followed. */
const MAX_LISTINGS = 100;

/** A client that sends what the table says. */
export function createWireClient(
  wire: Wire,
  table: WireTable,
  channel: CortexChannel,
): CortexClient {
  const ask = <K extends keyof Operations>(name: K) =>
  async (
    question: Operations[K][0],
    options: WriteOptions = {},
  ): Promise<Operations[K][1]> => {
    const operation = OPERATION_NAMES[name];
    const carriage = table[name];
    if (carriage === undefined) throw unsupported(operation, wire);
    const { check, path, body, headers, decode, none, ...how } = carriage;
    check?.(question);
    const request: ApiRequest = {
      ...how,
      operation,
      path: path(question, options),
      body: body?.(question),
      headers: headers?.(question),
    };
    try {
      return await channel.send(
        request,
        (part, mayHaveActed) => decode(part, question, mayHaveActed),
        options,
      );
    } catch (error) {
      if (none !== undefined && isNotFound(error)) return none();
      throw error;
    }
  };
  const recallAcross = ask("recallAcross");
  let isAcrossKnown = table.recallAcross !== undefined;
  const append = ask("append");
  const appendAll = ask("appendAll");
  const readScopes = ask("listScopes");
  const eraseTenant = ask("eraseTenant");
  const whoami = ask("whoami");
  const health = ask("health");
  return {
    wire,
    append,
    async appendAll(drafts, options) {
      checkDrafts(drafts);
      if (drafts.length > 1 && table.appendAll !== undefined) {
        return await appendAll(drafts, options);
      }
      const receipts: AppendReceipt[] = [];
      for (const draft of drafts) receipts.push(await append(draft, options));
      return receipts;
    },
    listEvents: ask("listEvents"),
    readEvent: ask("readEvent"),
    recall: ask("recall"),
    async recallAcross(query, options) {
      if (!isAcrossKnown) return undefined;
      const pack = await recallAcross(query, options);
      isAcrossKnown = pack !== undefined;
      return pack;
    },
    answer: ask("answer"),
    forget: ask("forget"),
    erase: ask("erase"),
    readErasure: ask("readErasure"),
    eraseTenant: (options) => eraseTenant(undefined, options),
    async listScopes({ limit = SCOPES_PER_LISTING, ...query }, options) {
      const paths: string[] = [];
      const events = new Map<string, number>();
      let cursor: string | undefined;
      for (let pages = 1;; pages++) {
        const page = await readScopes({ ...query, limit, cursor }, options);
        paths.push(...page.paths);
        for (const [path, count] of page.events ?? []) events.set(path, count);
        const next = page.nextCursor;
        const isLast = next === undefined || next === cursor;
        if (isLast || pages >= MAX_LISTINGS) {
          const counted = events.size === 0 ? {} : { events };
          return { paths, isCut: page.isCut, ...counted };
        }
        cursor = next;
      }
    },
    registerScope: ask("registerScope"),
    readMembers: ask("readMembers"),
    replaceMembers: ask("replaceMembers"),
    whoami: (options) => whoami(undefined, options),
    health: (options) => health(undefined, options),
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof CortexRefusalError && error.status === 404;
}
