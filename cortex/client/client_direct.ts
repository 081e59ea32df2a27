/**
 * CortexDB's own API, `v1/…`: bare JSON both ways, and an actor beside the
 * bearer.
 *
 * @module
 */

import { ActorSource } from "./actor.ts";
import type { AnswerPart } from "./answer_part.ts";
import { path, withQuery } from "./api_path.ts";
import { CortexChannel } from "./client.ts";
import { isHeaderToken } from "./client_options.ts";
import type {
  CallOptions,
  ClientOptions,
  CortexClient,
  WriteOptions,
} from "./client_types.ts";
import { CortexRefusalError } from "../errors.ts";
import { orNone } from "./failure.ts";
import {
  checkDrafts,
  checkEventQuery,
  checkForget,
  unsupported,
} from "./request_checks.ts";
import { type Actor, parseActor } from "../layout/scope.ts";
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
  type ScopeMembers,
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
  decodeHealth,
  decodeMembers,
  decodePack,
  decodePage,
  decodeReceipt,
  decodeReceipts,
  decodeScopes,
  decodeVersion,
} from "./wire_decode.ts";

/** What a read is, whatever it reads. */
const READ = { method: "GET", effect: "read" } as const;

/** A question that is asked with a body. */
const ASK = { method: "POST", effect: "read" } as const;

/** A write that is sent once, whatever comes back. */
const ONCE = { method: "POST", effect: "write" } as const;

const EVENTS_PER_PAGE = 200;
const SCOPES_PER_LISTING = 1_000;
/** Where a listing has a cursor, how often it is followed. */
const MAX_LISTINGS = 100;

/**
 * A client of CortexDB's own API.
 *
 * @throws {CortexConfigError} with every option that is wrong
 */
export function createDirectClient(options: ClientOptions): CortexClient {
  return new DirectClient(options);
}

class DirectClient implements CortexClient {
  readonly wire = "direct";
  readonly #channel: CortexChannel;

  constructor(options: ClientOptions) {
    const { actor, credential } = options;
    const isKnown = actor !== undefined || credential === undefined;
    this.#channel = new CortexChannel(
      options,
      new ActorSource(() =>
        isKnown ? Promise.resolve(actor) : this.#learnActor()
      ),
    );
  }

  append(
    draft: EventDraft,
    options?: WriteOptions,
  ): Promise<AppendReceipt> {
    return this.#write("experience", decodeReceipt, {
      options,
      drafts: [draft],
    });
  }

  async appendAll(
    drafts: readonly EventDraft[],
    options?: WriteOptions,
  ): Promise<readonly AppendReceipt[]> {
    const [first] = drafts;
    if (first !== undefined && drafts.length === 1) {
      return [await this.append(first, options)];
    }
    const decode = (part: AnswerPart, mayHaveActed: boolean) =>
      decodeReceipts(part, drafts.length, mayHaveActed);
    return await this.#write("experience/bulk", decode, { options, drafts });
  }

  async #write<T>(
    route: "experience" | "experience/bulk",
    decode: (part: AnswerPart, mayHaveActed: boolean) => T,
    { drafts, options = {} }: {
      drafts: readonly EventDraft[];
      options: WriteOptions | undefined;
    },
  ): Promise<T> {
    checkDrafts(drafts);
    const items = drafts.map(toExperience);
    const base = route === "experience"
      ? path`v1/experience`
      : path`v1/experience/bulk`;
    return await this.#channel.send(
      {
        operation: "append events",
        method: "POST",
        path: withQuery(base, { wait: options.wait }),
        effect: "keyed_write",
        body: route === "experience"
          ? items[0]
          : { items, ordering: "strict_temporal" },
      },
      decode,
      options,
    );
  }

  async listEvents(
    query: EventQuery,
    options?: CallOptions,
  ): Promise<EventPage> {
    checkEventQuery(query);
    const { scope, labels, limit = EVENTS_PER_PAGE, cursor } = query;
    return await this.#channel.send(
      {
        ...READ,
        operation: "list events",
        path: withQuery(path`v1/events`, {
          scope,
          view: "granular",
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
    return await orNone(this.#channel.send(
      {
        ...READ,
        operation: "read an event",
        path: path`v1/events/${id}`,
      },
      decodeEvent,
      options,
    ));
  }

  recall(query: RecallQuery, options?: CallOptions): Promise<Pack> {
    return this.#channel.send(
      {
        ...ASK,
        operation: "recall events",
        path: path`v1/recall`,
        body: toRecall(query),
      },
      decodePack,
      options,
    );
  }

  answer(query: AnswerQuery, options?: CallOptions): Promise<Answer> {
    return this.#channel.send(
      {
        ...ASK,
        operation: "answer a question",
        path: path`v1/answer`,
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
    return await this.#channel.send(
      {
        ...ONCE,
        operation: "forget events",
        path: path`v1/forget`,
        body: toForget(request),
      },
      decodeForgotten,
      options,
    );
  }

  erase(request: EraseRequest, options?: CallOptions): Promise<Erasure> {
    const { scope, auditNote } = request;
    return this.#channel.send(
      {
        ...ONCE,
        operation: "erase a scope",
        path: path`v1/erasures`,
        // The one place that confirms all: the body names exactly one scope.
        body: { scope, confirm_all: true, audit_note: auditNote },
      },
      decodeErasure,
      options,
    );
  }

  async readErasure(
    id: ErasureId,
    options?: CallOptions,
  ): Promise<Erasure | undefined> {
    return await orNone(this.#channel.send(
      {
        ...READ,
        operation: "read an erasure",
        path: path`v1/erasures/${id}`,
      },
      decodeErasure,
      options,
    ));
  }

  eraseTenant(): Promise<void> {
    return Promise.reject(unsupported("erase a tenant", this.wire));
  }

  async listScopes(
    query: ScopeListQuery,
    options?: CallOptions,
  ): Promise<ScopeListing> {
    const { prefix, limit = SCOPES_PER_LISTING } = query;
    const paths: string[] = [];
    let cursor: string | undefined;
    for (let pages = 1;; pages++) {
      const page = await orNone(this.#channel.send(
        {
          ...READ,
          operation: "list scopes",
          path: withQuery(path`v1/scopes/list`, { prefix, limit, cursor }),
        },
        (part) => decodeScopes(part, limit),
        options,
      ));
      if (page === undefined) return { paths, isCut: false };
      paths.push(...page.paths);
      const next = page.nextCursor;
      const isLast = next === undefined || next === cursor;
      if (isLast || pages >= MAX_LISTINGS) return { paths, isCut: page.isCut };
      cursor = next;
    }
  }

  registerScope(request: ScopeMembers, options?: CallOptions): Promise<void> {
    return this.#channel.send(
      {
        ...ONCE,
        operation: "register a scope",
        path: path`v1/scopes`,
        body: { path: request.path, members: request.members },
      },
      () => {},
      options,
    );
  }

  async readMembers(
    scope: ScopeMembers["path"],
    options?: CallOptions,
  ): Promise<readonly ScopeMember[] | undefined> {
    return await orNone(this.#channel.send(
      {
        ...READ,
        operation: "read the members of a scope",
        path: withQuery(path`v1/scopes`, { path: scope }),
      },
      decodeMembers,
      options,
    ));
  }

  replaceMembers(request: ScopeMembers, options?: CallOptions): Promise<void> {
    return this.#channel.send(
      {
        operation: "replace the members of a scope",
        method: "PUT",
        effect: "write",
        path: withQuery(path`v1/scopes/members`, { path: request.path }),
        body: { members: request.members },
      },
      () => {},
      options,
    );
  }

  whoami(options?: CallOptions): Promise<Actor> {
    return this.#channel.send({
      ...READ,
      operation: "ask who the caller is",
      path: path`v1/auth/whoami`,
      hasActor: false,
    }, (part) => {
      const caller = part.field("caller");
      if (isHeaderToken(caller.text())) return parseActor(caller.text());
      throw caller.fault("holds what no header can carry");
    }, options);
  }

  /** A server older than the actor model has no such route: no actor then. */
  async #learnActor(): Promise<Actor | undefined> {
    try {
      return await this.whoami();
    } catch (error) {
      const isOld = error instanceof CortexRefusalError &&
        (error.status === 404 || error.status === 405);
      if (isOld) return undefined;
      throw error;
    }
  }

  health(options?: CallOptions): Promise<Health> {
    return this.#channel.send(
      {
        ...READ,
        operation: "check health",
        path: path`v1/admin/health`,
        hasActor: false,
        maxAttempts: 1,
      },
      decodeHealth,
      options,
    );
  }

  version(options?: CallOptions): Promise<Version> {
    return this.#channel.send(
      {
        ...READ,
        operation: "read the version",
        path: path`v1/admin/version`,
      },
      decodeVersion,
      options,
    );
  }
}
