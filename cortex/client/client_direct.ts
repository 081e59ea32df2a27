/**
 * CortexDB's own API, `v1/…`: bare JSON both ways, and an actor beside the
 * bearer.
 *
 * @module
 */

import { CortexRefusalError } from "../errors.ts";
import { type Actor, parseActor } from "../layout/scope.ts";
import { ActorSource } from "./actor.ts";
import { path, withQuery } from "./api_path.ts";
import { CortexChannel } from "./channel.ts";
import { isHeaderToken } from "./client_options.ts";
import type { ClientOptions, CortexClient } from "./client_types.ts";
import {
  ANSWER,
  APPEND,
  ERASE,
  EVENTS_PER_PAGE,
  FORGET,
  LIST_EVENTS,
  LIST_SCOPES,
  READ,
  READ_ERASURE,
  READ_EVENT,
  RECALL,
  RECALL_ACROSS,
  type WireTable,
} from "./operations.ts";
import { toExperience } from "./wire.ts";
import { decodeHealth, decodeMembers, decodeReceipts } from "./wire_decode.ts";
import { createWireClient } from "./wire_client.ts";

/** A write that is sent once, whatever comes back. */
const ONCE = { method: "POST", effect: "write" } as const;

const DIRECT: WireTable = {
  append: {
    ...APPEND,
    path: (_, { wait }) => withQuery(path`v1/experience`, { wait }),
    body: toExperience,
  },
  appendAll: {
    method: "POST",
    effect: "keyed_write",
    path: (_, { wait }) => withQuery(path`v1/experience/bulk`, { wait }),
    body: (drafts) => ({
      items: drafts.map(toExperience),
      ordering: "strict_temporal",
    }),
    decode: (part, { length }, mayHaveActed) =>
      decodeReceipts(part, length, mayHaveActed),
  },
  listEvents: {
    ...LIST_EVENTS,
    path: ({ scope, below, labels, limit = EVENTS_PER_PAGE, cursor }) =>
      withQuery(path`v1/events`, {
        scope,
        view: below === true ? "descend" : "granular",
        limit,
        labels: labels?.join(","),
        cursor,
      }),
  },
  readEvent: { ...READ_EVENT, path: (id) => path`v1/events/${id}` },
  recall: { ...RECALL, path: () => path`v1/recall` },
  recallAcross: { ...RECALL_ACROSS, path: () => path`v1/recall/across` },
  answer: { ...ANSWER, path: () => path`v1/answer` },
  forget: { ...FORGET, effect: "write", path: () => path`v1/forget` },
  erase: {
    ...ERASE,
    effect: "write",
    path: () => path`v1/erasures`,
    // The one place that confirms all: the body names exactly one scope.
    body: ({ scope, auditNote }) => ({
      scope,
      confirm_all: true,
      audit_note: auditNote,
    }),
  },
  readErasure: { ...READ_ERASURE, path: (id) => path`v1/erasures/${id}` },
  eraseTenant: undefined,
  listScopes: {
    ...LIST_SCOPES,
    path: ({ prefix, limit, cursor }) =>
      withQuery(path`v1/scopes/list`, { prefix, limit, cursor }),
  },
  registerScope: {
    ...ONCE,
    path: () => path`v1/scopes`,
    body: (request) => ({ path: request.path, members: request.members }),
    decode: () => {},
  },
  readMembers: {
    ...READ,
    path: (scope) => withQuery(path`v1/scopes`, { path: scope }),
    decode: decodeMembers,
    none: () => undefined,
  },
  replaceMembers: {
    method: "PUT",
    effect: "write",
    path: (request) =>
      withQuery(path`v1/scopes/members`, { path: request.path }),
    body: ({ members }) => ({ members }),
    decode: () => {},
  },
  whoami: {
    ...READ,
    hasActor: false,
    path: () => path`v1/auth/whoami`,
    decode(part) {
      const caller = part.field("caller");
      if (isHeaderToken(caller.text())) return parseActor(caller.text());
      throw caller.fault("holds what no header can carry");
    },
  },
  health: {
    ...READ,
    hasActor: false,
    maxAttempts: 1,
    path: () => path`v1/admin/health`,
    decode: decodeHealth,
  },
};

/**
 * A client of CortexDB's own API.
 *
 * @throws {CortexConfigError} with every option that is wrong
 */
export function createDirectClient(options: ClientOptions): CortexClient {
  const { actor, credential } = options;
  const isKnown = actor !== undefined || credential === undefined;
  const source = new ActorSource(() =>
    isKnown ? Promise.resolve(actor) : learnActor(client)
  );
  const channel = new CortexChannel(options, source);
  const client = createWireClient("direct", DIRECT, channel);
  return client;
}

/** A server older than the actor model has no such route: no actor then. */
async function learnActor(client: CortexClient): Promise<Actor | undefined> {
  try {
    return await client.whoami();
  } catch (error) {
    const isOld = error instanceof CortexRefusalError &&
      (error.status === 404 || error.status === 405);
    if (isOld) return undefined;
    throw error;
  }
}
