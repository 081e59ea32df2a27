/**
 * CortexDB behind a backend that puts the caller's tenant in front of every
 * path: `memory/…`, answers in an envelope, one event a request.
 *
 * @module
 */

import type { AnswerPart } from "./answer_part.ts";
import { type ApiPath, path, withQuery } from "./api_path.ts";
import { type ApiRequest, CortexChannel } from "./client.ts";
import type {
  CallOptions,
  ClientOptions,
  CortexClient,
  WriteOptions,
} from "./client_types.ts";
import { orNone } from "./failure.ts";
import {
  checkDrafts,
  checkEventQuery,
  checkForget,
  unsupported,
} from "./request_checks.ts";
import type { Actor } from "../layout/scope.ts";
import {
  type Answer,
  type AnswerQuery,
  type AppendReceipt,
  type EraseRequest,
  type Erasure,
  type ErasureId,
  type EventDraft,
  type EventId,
  type EventPage,
  type EventQuery,
  type ForgetRequest,
  type Forgotten,
  type Health,
  type Pack,
  type RecallQuery,
  type ScopeListing,
  type ScopeListQuery,
  type ScopeMember,
  type StoredEvent,
  toAnswer,
  toExperience,
  toForget,
  toRecall,
  type Version,
} from "./wire.ts";
import {
  decodeAnswer,
  decodeErasure,
  decodeEvent,
  decodeForgotten,
  decodePack,
  decodePage,
  decodeReceipt,
  decodeScopes,
} from "./wire_decode.ts";

const READ = { method: "GET", effect: "read" } as const;
const ASK = { method: "POST", effect: "read" } as const;

const EVENTS_PER_PAGE = 200;
const SCOPES_PER_LISTING = 1_000;

/** A prefix of a type that is never written: the cheapest question there is. */
const PROBE_PREFIX = "tmh:probe";

/**
 * A client of a backend that hosts CortexDB.
 *
 * @throws {CortexConfigError} with every option that is wrong
 */
export function createHostedClient(options: ClientOptions): CortexClient {
  return new HostedClient(options);
}

class HostedClient implements CortexClient {
  readonly wire = "hosted";
  readonly #channel: CortexChannel;

  constructor(options: ClientOptions) {
    this.#channel = new CortexChannel(options);
  }

  async append(
    draft: EventDraft,
    options?: WriteOptions,
  ): Promise<AppendReceipt> {
    checkDrafts([draft]);
    return await this.#send(
      {
        operation: "append events",
        method: "POST",
        path: path`memory/experience`,
        effect: "keyed_write",
        // A claim of this call: kept across its tries, never used by another.
        headers: { "idempotency-key": crypto.randomUUID() },
        body: toExperience(draft),
      },
      decodeReceipt,
      options,
    );
  }

  async appendAll(
    drafts: readonly EventDraft[],
    options?: WriteOptions,
  ): Promise<readonly AppendReceipt[]> {
    checkDrafts(drafts);
    const receipts: AppendReceipt[] = [];
    for (const draft of drafts) {
      receipts.push(await this.append(draft, options));
    }
    return receipts;
  }

  async listEvents(
    query: EventQuery,
    options?: CallOptions,
  ): Promise<EventPage> {
    checkEventQuery(query);
    const { scope, labels, limit = EVENTS_PER_PAGE, cursor } = query;
    return await this.#send(
      {
        ...READ,
        operation: "list events",
        path: withQuery(path`memory/events`, {
          scope,
          limit,
          labels: labels?.join(","),
          cursor,
        }),
      },
      (part) => decodePage(part, cursor),
      options,
    );
  }

  async readEvent(
    id: EventId,
    options?: CallOptions,
  ): Promise<StoredEvent | undefined> {
    const request = {
      ...READ,
      operation: "read an event",
      path: path`memory/events/${id}`,
    };
    return await orNone(this.#send(request, decodeEvent, options));
  }

  recall(query: RecallQuery, options?: CallOptions): Promise<Pack> {
    return this.#send(
      {
        ...ASK,
        operation: "recall events",
        path: path`memory/recall`,
        body: toRecall(query),
      },
      decodePack,
      options,
    );
  }

  answer(query: AnswerQuery, options?: CallOptions): Promise<Answer> {
    return this.#send(
      {
        ...ASK,
        operation: "answer a question",
        path: path`memory/answer`,
        body: toAnswer(query),
      },
      decodeAnswer,
      options,
    );
  }

  async forget(
    request: ForgetRequest,
    options?: CallOptions,
  ): Promise<Forgotten> {
    checkForget(request);
    return await this.#send(
      {
        operation: "forget events",
        method: "POST",
        path: path`memory/forget`,
        // Removing named events twice is removing them once.
        effect: "keyed_write",
        isDoneWhenGone: true,
        body: toForget(request),
      },
      decodeForgotten,
      options,
    );
  }

  async erase(
    { scope, auditNote }: EraseRequest,
    options?: CallOptions,
  ): Promise<Erasure> {
    const operation = "erase a scope";
    const found = await orNone(this.#channel.send(
      {
        operation,
        method: "POST",
        path: path`memory/v1/erasures`,
        effect: "resumable_write",
        body: { scope, audit_note: auditNote },
      },
      decodeErasure,
      options,
    ));
    // A scope with nothing in it is erased all the same: 404 is the route's.
    if (found === undefined) throw unsupported(operation, this.wire);
    return found;
  }

  async readErasure(
    id: ErasureId,
    options?: CallOptions,
  ): Promise<Erasure | undefined> {
    return await orNone(this.#channel.send(
      {
        ...READ,
        operation: "read an erasure",
        path: path`memory/v1/erasures/${id}`,
      },
      decodeErasure,
      options,
    ));
  }

  eraseTenant(options?: CallOptions): Promise<void> {
    return this.#channel.send({
      operation: "erase a tenant",
      method: "DELETE",
      path: path`memory`,
      effect: "write",
    }, (part) => {
      // Seen in an envelope and without.
      const data = part.field("success").isAbsent ? part : unwrap(part);
      const erased = data.field("erased");
      if (!erased.isTrue()) throw erased.fault("is not true");
    }, options);
  }

  async listScopes(
    query: ScopeListQuery,
    options?: CallOptions,
  ): Promise<ScopeListing> {
    const { prefix, limit = SCOPES_PER_LISTING } = query;
    const found = await orNone(this.#send(
      {
        ...READ,
        operation: "list scopes",
        path: scopesPath(prefix, limit),
      },
      (part) => decodeScopes(part, limit),
      options,
    ));
    const { paths, isCut } = found ?? { paths: [], isCut: false };
    return { paths, isCut };
  }

  registerScope(): Promise<void> {
    return Promise.reject(unsupported("register a scope", this.wire));
  }

  readMembers(): Promise<readonly ScopeMember[] | undefined> {
    const operation = "read the members of a scope";
    return Promise.reject(unsupported(operation, this.wire));
  }

  replaceMembers(): Promise<void> {
    const operation = "replace the members of a scope";
    return Promise.reject(unsupported(operation, this.wire));
  }

  whoami(): Promise<Actor> {
    return Promise.reject(unsupported("ask who the caller is", this.wire));
  }

  health(options?: CallOptions): Promise<Health> {
    return this.#send(
      {
        ...READ,
        operation: "check health",
        path: scopesPath(PROBE_PREFIX, 1),
        maxAttempts: 1,
      },
      () => ({ status: "healthy", version: undefined }),
      options,
    );
  }

  version(): Promise<Version> {
    return Promise.reject(unsupported("read the version", this.wire));
  }

  async #send<T>(
    request: ApiRequest,
    decode: (part: AnswerPart, mayHaveActed: boolean) => T,
    options?: CallOptions,
  ): Promise<T> {
    return await this.#channel.send(
      request,
      (part, mayHaveActed) => decode(unwrap(part), mayHaveActed),
      options,
    );
  }
}

function scopesPath(prefix: string, limit: number): ApiPath {
  return withQuery(path`memory/scopes`, { prefix, limit });
}

/** Takes the data out of its envelope; nothing came means nothing is in it. */
function unwrap(part: AnswerPart): AnswerPart {
  if (part.isAbsent) return part;
  const success = part.field("success");
  if (!success.isTrue()) throw success.fault("is not true");
  return part.field("data");
}
