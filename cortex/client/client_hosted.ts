/**
 * CortexDB behind a backend that puts the caller's tenant in front of every
 * path: `memory/…`, answers in an envelope, one event a request.
 *
 * @module
 */

import type { AnswerPart } from "./answer_part.ts";
import { type ApiPath, path, withQuery } from "./api_path.ts";
import { CortexChannel } from "./channel.ts";
import type { ClientOptions, CortexClient } from "./client_types.ts";
import {
  ANSWER,
  APPEND,
  type Carriage,
  ERASE,
  EVENTS_PER_PAGE,
  FORGET,
  LIST_EVENTS,
  LIST_SCOPES,
  OPERATION_NAMES,
  READ,
  READ_ERASURE,
  READ_EVENT,
  RECALL,
  type WireTable,
} from "./operations.ts";
import { unsupported } from "./request_checks.ts";
import { toExperience } from "./wire.ts";
import { createWireClient } from "./wire_client.ts";

/** A prefix of a type that is never written: the cheapest question there is. */
const PROBE_PREFIX = "tmh:probe";

const HOSTED: WireTable = {
  append: enveloped({
    ...APPEND,
    path: () => path`memory/experience`,
    // A claim of this call: kept across its tries, never used by another.
    headers: () => ({ "idempotency-key": crypto.randomUUID() }),
    body: toExperience,
  }),
  appendAll: undefined,
  listEvents: enveloped({
    ...LIST_EVENTS,
    path: ({ scope, labels, limit = EVENTS_PER_PAGE, cursor }) =>
      withQuery(path`memory/events`, {
        scope,
        limit,
        labels: labels?.join(","),
        cursor,
      }),
  }),
  readEvent: enveloped({
    ...READ_EVENT,
    path: (id) => path`memory/events/${id}`,
  }),
  recallAcross: undefined,
  recall: enveloped({ ...RECALL, path: () => path`memory/recall` }),
  answer: enveloped({ ...ANSWER, path: () => path`memory/answer` }),
  forget: enveloped({
    ...FORGET,
    // Removing named events twice is removing them once.
    effect: "keyed_write",
    isDoneWhenGone: true,
    path: () => path`memory/forget`,
  }),
  erase: {
    ...ERASE,
    effect: "resumable_write",
    path: () => path`memory/v1/erasures`,
    body: ({ scope, auditNote }) => ({ scope, audit_note: auditNote }),
    // A scope with nothing in it is erased all the same: 404 is the route's.
    none() {
      throw unsupported(OPERATION_NAMES.erase, "hosted");
    },
  },
  readErasure: {
    ...READ_ERASURE,
    path: (id) => path`memory/v1/erasures/${id}`,
  },
  eraseTenant: {
    method: "DELETE",
    effect: "write",
    path: () => path`memory`,
    decode(part) {
      // Seen in an envelope and without.
      const data = part.field("success").isAbsent ? part : unwrap(part);
      const erased = data.field("erased");
      if (!erased.isTrue()) throw erased.fault("is not true");
    },
  },
  listScopes: enveloped({
    ...LIST_SCOPES,
    path: ({ prefix, limit }) => scopesPath(prefix, limit),
    // This wire has no next page to ask for.
    decode: (part, query, mayHaveActed) => ({
      ...LIST_SCOPES.decode(part, query, mayHaveActed),
      nextCursor: undefined,
    }),
  }),
  registerScope: undefined,
  readMembers: undefined,
  replaceMembers: undefined,
  whoami: undefined,
  health: enveloped({
    ...READ,
    maxAttempts: 1,
    path: () => scopesPath(PROBE_PREFIX, 1),
    decode: () => ({ status: "healthy", version: undefined }),
  }),
};

/**
 * A client of a backend that hosts CortexDB.
 *
 * @throws {CortexConfigError} with every option that is wrong
 */
export function createHostedClient(options: ClientOptions): CortexClient {
  return createWireClient("hosted", HOSTED, new CortexChannel(options));
}

function scopesPath(prefix: string, limit: number): ApiPath {
  return withQuery(path`memory/scopes`, { prefix, limit });
}

/** The same, with its answer in an envelope. */
function enveloped<Q, A>(carriage: Carriage<Q, A>): Carriage<Q, A> {
  return {
    ...carriage,
    decode: (part, question, mayHaveActed) =>
      carriage.decode(unwrap(part), question, mayHaveActed),
  };
}

/** Takes the data out of its envelope; nothing came means nothing is in it. */
function unwrap(part: AnswerPart): AnswerPart {
  if (part.isAbsent) return part;
  const success = part.field("success");
  if (!success.isTrue()) throw success.fault("is not true");
  return part.field("data");
}
