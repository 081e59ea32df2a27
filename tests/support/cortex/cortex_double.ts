/**
 * A stand-in CortexDB: both wires, one store, no port.
 *
 * It refuses what the service refuses and has its quirks; some are on from the
 * start because the service has them, the others are for a test to set. `v1/…`
 * is the direct wire, `memory/…` the hosted one, which puts `quirks.tenant` in
 * front of every path.
 *
 * @module
 */

import {
  checkScope,
  checkTypes,
  type DoubleEvent,
  type DoubleMember,
  DoubleStore,
  isWithin,
  type Json,
  Refusal,
} from "./cortex_double_store.ts";

/** How the service misbehaves. */
export interface Quirks {
  /** Every event is listed twice and the limit counts copies. */
  doubleListing: boolean;
  /** The most scopes of one listing, whatever was asked for. */
  maxScopes: number;
  /** `org:a` lists `org:ab`, too. */
  plainPrefix: boolean;
  /** Scope listings come as `{scopes: [text]}`. */
  plainScopes: boolean;
  /** What the hosted wire puts in front; listings show it. */
  tenant: string;
  /** How many listings of its scope leave a new event out. */
  listingLag: number;
  /** How many recalls leave a new event out. */
  recallLag: number;
  /** What erasing a scope does below it, on the direct wire. */
  eraseBelow: "redact" | "keep";
  /** For how many answers an erasure is running. */
  erasureSteps: number;
  /** Forgetting by ids frees the keys (since 0.10.4). */
  forgetReleasesKeys: boolean;
  /** Recalled texts begin with `[role] `. */
  rolePrefix: boolean;
  /** Answers every registration with this status. */
  registrationStatus: number | undefined;
  /** Whose token it is: the actor header must say the same. */
  subject: string | undefined;
  /** There is no whoami: older than the actor model. */
  hasWhoami: boolean;
  /** The hosted wire erases single scopes. */
  hasScopedErasure: boolean;
}

/** An answer to give instead of the right one. */
export interface Failing {
  readonly status: number;
  /** @default {1} */
  readonly times?: number;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only for this: `POST /v1/experience`; any request when left out. */
  readonly route?: string;
  /** The request is carried out all the same. */
  readonly isApplied?: boolean;
  /** The body as it is, instead of an error object. */
  readonly text?: string;
}

/** A request that came. */
export interface Seen {
  /** `POST /v1/experience`. */
  readonly route: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: unknown;
}

interface Context {
  readonly isHosted: boolean;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: Json;
  readonly actor: string;
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** Not put in the hosted envelope. */
  readonly isBare?: boolean;
}

const EXPERIENCE_FIELDS =
  "scope modality content context observed_actor subject directives idempotency_key";
const RECALL_FIELDS =
  "scope query view include budgets filters temporal citation_mode diagnostics";
const ANSWER_FIELDS =
  "scope question question_type question_date temporal filters answer_max_tokens answer_instructions cite_sources include_context use_pack_id";
const FORGET_FIELDS = "scope layers selector cascade confirm_all audit_note";

/** A stand-in CortexDB. */
export class CortexDouble {
  readonly store: DoubleStore = new DoubleStore();
  /** Everything that came, in order. */
  readonly seen: Seen[] = [];
  readonly quirks: Quirks;
  /** The bearer it takes. */
  readonly credential = "key-b7Qz81";
  readonly #failing: { failing: Failing; left: number }[] = [];
  readonly #claims: Set<string> = new Set();
  readonly #erasures: Map<string, { left: number }> = new Map();

  constructor(quirks: Partial<Quirks> = {}) {
    this.quirks = {
      doubleListing: true,
      maxScopes: 1_000,
      plainPrefix: false,
      plainScopes: false,
      tenant: "org:t1",
      listingLag: 0,
      recallLag: 0,
      eraseBelow: "redact",
      erasureSteps: 0,
      forgetReleasesKeys: true,
      rolePrefix: false,
      registrationStatus: undefined,
      subject: undefined,
      hasWhoami: true,
      hasScopedErasure: true,
      ...quirks,
    };
  }

  /** In place of `fetch`. */
  get fetch(): typeof fetch {
    return (input, init) => this.handle(new Request(input, init));
  }

  /** The routes that came, in order. */
  get routes(): readonly string[] {
    return this.seen.map(({ route }) => route);
  }

  /** Fails the next requests. */
  fail(failing: Failing): void {
    this.#failing.push({ failing, left: failing.times ?? 1 });
  }

  /** Answers a request. */
  async handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const route = `${request.method} ${url.pathname}`;
    const text = await request.text();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const { headers } = request;
    this.seen.push({ route, query: url.searchParams, headers, body });
    const isHosted = url.pathname.startsWith("/memory");
    const forced = this.#failing.find(({ failing, left }) =>
      left > 0 && (failing.route ?? route) === route
    );
    if (forced !== undefined) forced.left--;
    const failing = forced?.failing;
    if (failing !== undefined && failing.isApplied !== true) {
      return failed(isHosted, failing);
    }
    try {
      const actor = this.#authorize(route, headers, isHosted);
      const reply = this.#reply(route, {
        isHosted,
        query: url.searchParams,
        headers,
        body: (body ?? {}) as Json,
        actor,
      });
      if (failing !== undefined) return failed(isHosted, failing);
      const { status } = reply;
      if (status === 204) return new Response(null, { status });
      return isHosted && reply.isBare !== true
        ? Response.json({ success: true, data: reply.body }, { status })
        : Response.json(reply.body, { status });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, code, message } = error;
      return failed(isHosted, { status, code, text: undefined }, message);
    }
  }

  #authorize(route: string, headers: Headers, isHosted: boolean): string {
    if (route === "GET /v1/health" || route === "GET /v1/admin/health") {
      return "";
    }
    if (headers.get("authorization") !== `Bearer ${this.credential}`) {
      throw new Refusal(401, "UNAUTHORIZED");
    }
    const actor = headers.get("x-cortex-actor") ?? "user:local";
    const { subject } = this.quirks;
    if (subject === undefined || isHosted || route.endsWith("/whoami")) {
      return actor;
    }
    if (actor !== subject) throw new Refusal(401, "ACTOR_MISMATCH");
    return actor;
  }

  #reply(route: string, context: Context): Reply {
    const [, name = ""] = /^\w+ \/(?:v1|memory)\/?(.*)$/.exec(route) ?? [];
    const method = route.slice(0, route.indexOf(" "));
    const key = `${method} ${name.replace(/(events|erasures)\/.+$/, "$1/id")}`;
    const id = decodeURIComponent(name.slice(name.lastIndexOf("/") + 1));
    return context.isHosted
      ? this.#replyHosted(key, id, context)
      : this.#replyDirect(key, id, context);
  }

  #replyDirect(key: string, id: string, context: Context): Reply {
    switch (key) {
      case "GET health":
      case "GET admin/health":
        return good({ status: "healthy", version: "v0.10.5" });
      case "GET admin/version":
        return good({ version: "v0.10.5", capabilities: ["refers_to_v1"] });
      case "GET auth/whoami":
        if (!this.quirks.hasWhoami) throw new Refusal(404, "NOT_FOUND");
        return good({
          caller: this.quirks.subject ?? "user:local",
          tenant_id: "local",
        });
      case "POST experience":
        return this.#append(context);
      case "POST experience/bulk":
        return this.#appendAll(context);
      case "POST scopes":
        return this.#register(context);
      case "GET scopes":
        return this.#record(context);
      case "PUT scopes/members":
        return this.#replaceMembers(context);
      case "GET scopes/list":
        return this.#listScopes(context);
      case "POST erasures":
        return this.#erase(context);
      case "GET erasures/id":
        return this.#erasure(id);
      default:
        return this.#replyShared(key, id, context);
    }
  }

  #replyHosted(key: string, id: string, context: Context): Reply {
    switch (key) {
      case "POST experience":
        return this.#claimAndAppend(context);
      case "GET scopes":
        return this.#listScopes(context);
      case "POST v1/erasures":
        return this.#eraseHosted(context);
      case "GET v1/erasures/id":
        return { ...this.#erasure(id), isBare: true };
      case "DELETE ":
        return this.#eraseTenant();
      default:
        return this.#replyShared(key, id, context);
    }
  }

  #replyShared(key: string, id: string, context: Context): Reply {
    switch (key) {
      case "GET events":
        return this.#listEvents(context);
      case "GET events/id":
        return this.#event(id);
      case "POST recall":
        return this.#recall(context);
      case "POST answer":
        return this.#answer(context);
      case "POST forget":
        return this.#forget(context);
      default:
        throw new Refusal(404, "NOT_FOUND", `no route ${key}`);
    }
  }

  /** Where a path that a request names is stored. */
  #stored(path: unknown, { isHosted }: Context): string {
    const scope = checkScope(path);
    return isHosted ? `${this.quirks.tenant}/${scope}` : scope;
  }

  #append({ body, actor, query, isHosted }: Context): Reply {
    const { id, isReplay } = this.#write(body, actor);
    const hasWait = query.has("wait") || isHosted;
    return {
      status: hasWait || isReplay ? 200 : 202,
      body: {
        event_id: id,
        status: "captured",
        replayed_from_idempotency: isReplay,
      },
    };
  }

  #write(body: Json, actor: string): { id: string; isReplay: boolean } {
    closed(body, EXPERIENCE_FIELDS);
    const content = body.content;
    if (typeof body.modality !== "string" || typeof content !== "object") {
      throw new Refusal(422, "INVALID_BODY");
    }
    const { listingLag, recallLag } = this.quirks;
    return this.store.append(body, { actor, listingLag, recallLag });
  }

  #claimAndAppend(context: Context): Reply {
    const { body, headers } = context;
    if (String(body.idempotency_key ?? "").trim() === "") {
      throw new Refusal(400, "MISSING_IDEMPOTENCY_KEY");
    }
    const claim = headers.get("idempotency-key") ?? "";
    if (this.#claims.has(claim)) throw new Refusal(409, "CONFLICT");
    if (claim !== "") this.#claims.add(claim);
    const scope = this.#stored(body.scope, context);
    return this.#append({ ...context, body: { ...body, scope } });
  }

  #appendAll({ body, actor }: Context): Reply {
    closed(body, "scope items ordering");
    const items = body.items as Json[];
    if (!Array.isArray(items) || items.length > 1_000) {
      throw new Refusal(422, "INVALID_BODY");
    }
    const results = items.map((item, index) => {
      const scope = item.scope ?? body.scope;
      const { id, isReplay } = this.#write({ ...item, scope }, actor);
      return { index, event_id: id, replayed_from_idempotency: isReplay };
    });
    return { status: 202, body: { accepted: results.length, results } };
  }

  #listEvents(context: Context): Reply {
    const { query } = context;
    const scope = this.#stored(query.get("scope"), context);
    const labels = (query.get("labels") ?? "").split(",").filter(Boolean);
    const shown = this.store.listed(scope, labels).flatMap((event) =>
      this.quirks.doubleListing ? [event, event] : [event]
    );
    const limit = Math.min(Number(query.get("limit") ?? 50), 500);
    const start = Number(query.get("cursor") ?? 0);
    const end = start + limit;
    return good({
      items: shown.slice(start, end).map((event) => toItem(event)),
      has_more: end < shown.length,
      next_cursor: String(end),
    });
  }

  #event(id: string): Reply {
    const event = this.store.events.find((one) => one.id === id);
    if (event === undefined) throw new Refusal(404, "NOT_FOUND");
    return good(toItem(event));
  }

  #recall(context: Context): Reply {
    const { body } = context;
    closed(body, RECALL_FIELDS);
    const filters = (body.filters ?? {}) as {
      metadata?: { labels?: string[] };
    };
    const budgets = (body.budgets ?? {}) as {
      max_tokens?: number;
      per_layer_limits?: { events?: number };
    };
    const { id, events } = this.store.recall(
      this.#stored(body.scope, context),
      {
        words: String(body.query),
        view: String(body.view ?? "holistic"),
        labels: filters.metadata?.labels ?? [],
        limit: budgets.per_layer_limits?.events ?? Infinity,
        characters: 4 * (budgets.max_tokens ?? 4_000),
      },
    );
    const { rolePrefix } = this.quirks;
    const items = events.map((event) => toItem(event, rolePrefix));
    const layers = { events: items, facts: [], beliefs: [] };
    const context_block = events.map(({ text }) => text).join("\n");
    return good({ pack_id: id, layers, context_block, warnings: [] });
  }

  #answer(context: Context): Reply {
    const { body, isHosted } = context;
    closed(body, ANSWER_FIELDS);
    if (isHosted && body.answer_instructions === null) {
      throw new Refusal(400, "VALIDATION_ERROR");
    }
    const scope = this.#stored(body.scope, context);
    const events = this.store.pack(String(body.use_pack_id), scope);
    if (events === undefined) {
      throw isHosted
        ? new Refusal(400, "MISSING_PACK")
        : new Refusal(404, "NOT_FOUND");
    }
    return good({
      answer: `Answer to ${body.question}: ${events[0]?.text ?? "nothing"}`,
      citations: events.map(({ id }, at) => ({
        marker: at + 1,
        layer: "events",
        id,
      })),
      diagnostics: { answer_model: "double" },
    });
  }

  #forget(context: Context): Reply {
    const { body } = context;
    closed(body, FORGET_FIELDS);
    const { memory_ids: ids = [] } = (body.selector ?? {}) as {
      memory_ids?: string[];
    };
    const cascade = "cascade" in body ? body.cascade : "derived_only";
    if (cascade !== "derived_only" && cascade !== "redact_events") {
      throw new Refusal(400, "INVALID_CASCADE");
    }
    // A selector of another spelling reads as an empty one: the whole scope.
    const isAll = body.confirm_all === true;
    if (ids.length > 0 && isAll) {
      throw new Refusal(400, "AMBIGUOUS_SELECTOR_CONFIRM_ALL");
    }
    if (ids.length === 0 && !isAll) {
      throw new Refusal(422, "EMPTY_SELECTOR_WITHOUT_CONFIRMATION");
    }
    const scope = this.#stored(body.scope, context);
    const isRedacting = cascade === "redact_events";
    const matched = this.store.forget(scope, isAll ? "all" : ids, {
      isRedacting,
      releasesKeys: this.quirks.forgetReleasesKeys,
    });
    const deleted = { events: isRedacting ? matched : 0 };
    return good({ deleted, requested: ids.length, matched });
  }

  #erase(context: Context): Reply {
    const { body } = context;
    closed(body, "scope confirm_all selector audit_note");
    if (body.confirm_all !== true || body.selector !== undefined) {
      throw new Refusal(422, "EMPTY_SELECTOR_WITHOUT_CONFIRMATION");
    }
    this.store.erase(checkScope(body.scope), this.quirks.eraseBelow);
    const id = `er_${this.#erasures.size + 1}`;
    this.#erasures.set(id, { left: this.quirks.erasureSteps });
    return { ...this.#erasure(id), status: 202 };
  }

  #erasure(id: string): Reply {
    const erasure = this.#erasures.get(id);
    if (erasure === undefined) throw new Refusal(404, "NOT_FOUND");
    const status = erasure.left-- > 0 ? "running" : "completed";
    return good({ erasure_id: id, status });
  }

  #eraseHosted(context: Context): Reply {
    const { body } = context;
    if (!this.quirks.hasScopedErasure) throw new Refusal(404, "NOT_FOUND");
    const known = new Set(["scope", "audit_note"]);
    if (Object.keys(body).some((field) => !known.has(field))) {
      throw new Refusal(400, "UNKNOWN_FIELD");
    }
    const scope = this.#stored(body.scope, context);
    this.store.erase(scope, "erase");
    const id = `er_${this.#erasures.size + 1}`;
    this.#erasures.set(id, { left: 0 });
    const answer = { erased: true, scope: body.scope, scopes: 1 };
    return { ...good({ ...answer, erasure_ids: [id] }), isBare: true };
  }

  #eraseTenant(): Reply {
    const { tenant } = this.quirks;
    const count = [...this.store.scopes.keys()]
      .filter((path) => isWithin(path, tenant)).length;
    this.store.erase(tenant, "erase");
    return good({ erased: true, scopes: count });
  }

  #register({ body }: Context): Reply {
    closed(body, "path members policies");
    const { registrationStatus } = this.quirks;
    if (registrationStatus !== undefined) {
      throw new Refusal(registrationStatus, "POLICY_DENIED");
    }
    const path = checkScope(body.path);
    checkTypes(path);
    const { scopes } = this.store;
    if (scopes.has(path)) throw new Refusal(409, "SCOPE_REGISTRATION_EXISTS");
    const members = (body.members ?? []) as DoubleMember[];
    scopes.set(path, { path, members, isAutoProvisioned: false });
    return { status: 201, body: this.#toRecord(path) };
  }

  #record({ query }: Context): Reply {
    return good(this.#toRecord(checkScope(query.get("path"))));
  }

  #replaceMembers({ query, body }: Context): Reply {
    closed(body, "members");
    const path = checkScope(query.get("path"));
    const scope = this.store.scopes.get(path);
    if (scope !== undefined) scope.members = body.members as DoubleMember[];
    return good(this.#toRecord(path));
  }

  #toRecord(path: string): Json {
    const scope = this.store.scopes.get(path);
    if (scope === undefined) throw new Refusal(404, "NOT_FOUND");
    const { members, isAutoProvisioned } = scope;
    return { path, members, auto_provisioned: isAutoProvisioned, policies: {} };
  }

  #listScopes({ query, isHosted }: Context): Reply {
    const { tenant, plainPrefix, plainScopes, maxScopes } = this.quirks;
    const asked = query.get("prefix");
    // Empty, or with a slash at its end: refused, as is what is no path.
    if (asked !== null) checkScope(asked);
    const above = [isHosted ? tenant : null, asked]
      .filter((part) => part !== null).join("/");
    const limit = Math.min(Number(query.get("limit") ?? 50), maxScopes);
    const paths = [...this.store.scopes.keys()].sort()
      .filter((path) =>
        above === "" || isWithin(path, above) ||
        plainPrefix && path.startsWith(above)
      )
      .slice(0, limit);
    return good(
      plainScopes
        ? { scopes: paths }
        : { items: paths.map((path) => ({ path })) },
    );
  }
}

function good(body: Json): Reply {
  return { status: 200, body };
}

/** Refuses a body with a field that is not among the known ones. */
function closed(body: Json, fields: string): void {
  const known = new Set(fields.split(" "));
  const other = Object.keys(body).find((field) => !known.has(field));
  if (other === undefined) return;
  throw new Refusal(422, "INVALID_BODY", `unknown field ${other}`);
}

function toItem(event: DoubleEvent, hasRole = false): Json {
  const content = event.body.content as Json;
  const text = hasRole ? `[${content.role}] ${event.text}` : event.text;
  return {
    id: event.id,
    scope: event.scope,
    modality: event.body.modality,
    content: { ...content, text },
    context: {
      ...(event.body.context ?? {}),
      recorded_at: event.recordedAt,
    },
  };
}

function failed(
  isHosted: boolean,
  failing: Pick<Failing, "status" | "code" | "headers"> & {
    readonly text?: string | undefined;
  },
  message = "not now",
): Response {
  const { status, code = `STATUS_${status}`, headers = {}, text } = failing;
  if (text !== undefined) return new Response(text, { status, headers });
  const body = isHosted
    ? { success: false, error: message, errorCode: code }
    : { error_code: code, message };
  return Response.json(body, { status, headers });
}
