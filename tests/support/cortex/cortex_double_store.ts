/**
 * What a stand-in CortexDB holds: events, scopes, keys, packs, erasures. Paths
 * are stored whole, tenant included. Time is a number that tests move.
 *
 * @module
 */

/** Refuses a request with a status and a machine code. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message = "not done") {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** A JSON object as it came or goes. */
export type Json = Record<string, unknown>;

/** A stored event and how often listings still leave it out. */
export interface DoubleEvent {
  readonly id: string;
  readonly key: string | undefined;
  readonly body: Json;
  readonly scope: string;
  readonly labels: readonly string[];
  readonly text: string;
  readonly recordedAt: string;
  hiddenFromListings: number;
  hiddenFromRecalls: number;
}

/** Who may do what in a scope. */
export interface DoubleMember {
  readonly actor: string;
  readonly role: string;
}

/** A registered scope. */
export interface DoubleScope {
  readonly path: string;
  members: readonly DoubleMember[];
  readonly isAutoProvisioned: boolean;
}

const KEY_LIFE_MS = 24 * 3_600_000;
const PACK_LIFE_MS = 60_000;
const MAX_TEXT_BYTES = 1024 * 1024;
const SCOPE_REGEXP =
  /^[a-z][a-z0-9_]{0,31}:[A-Za-z0-9_-]{1,128}(\/[a-z][a-z0-9_]{0,31}:[A-Za-z0-9_-]{1,128}){0,31}$/;
const SCOPE_TYPES: ReadonlySet<string> = new Set(
  "org dept team app user agent service ws project global system source"
    .split(" "),
);

/** Whether `path` is `above` or below it, by whole segments. */
export function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

/** Refuses a path that is no scope. */
export function checkScope(path: unknown): string {
  if (typeof path !== "string" || !SCOPE_REGEXP.test(path)) {
    throw new Refusal(422, "INVALID_BODY", "not a scope path");
  }
  return path;
}

/** Refuses to write to a path with a type that the deployment does not admit. */
export function checkTypes(path: string): void {
  const types = path.split("/").map((segment) => segment.split(":")[0] ?? "");
  if (types.every((type) => SCOPE_TYPES.has(type))) return;
  throw new Refusal(422, "UNREGISTERED_SCOPE_TYPE");
}

/** The data, and what writes and removals do to it. */
export class DoubleStore {
  /** In the order written. */
  events: DoubleEvent[] = [];
  readonly scopes: Map<string, DoubleScope> = new Map();
  /** Milliseconds; moved by tests. */
  now = Date.parse("2026-09-01T00:00:00Z");
  readonly #keys: Map<
    string,
    { body: string; id: string; scope: string; until: number }
  > = new Map();
  #packs: Map<string, { scope: string; events: DoubleEvent[]; until: number }> =
    new Map();
  #nextId = 1;

  /** Stores an event or replays its key. */
  append(
    body: Json,
    options: { actor: string; listingLag: number; recallLag: number },
  ): { id: string; isReplay: boolean } {
    const scope = checkScope(body.scope);
    checkTypes(scope);
    const content = body.content as Json;
    const context = (body.context ?? {}) as Json;
    const labels = (context.labels ?? []) as string[];
    const text = String(content.text ?? "");
    if (new TextEncoder().encode(text).length > MAX_TEXT_BYTES) {
      throw new Refusal(422, "INVALID_ENVELOPE");
    }
    if (labels.length > 64) throw new Refusal(422, "INVALID_BODY");
    const key = body.idempotency_key as string | undefined;
    const shape = JSON.stringify(body);
    const held = key === undefined ? undefined : this.#keys.get(key);
    if (held !== undefined && held.until > this.now) {
      if (held.body === shape) return { id: held.id, isReplay: true };
      const why = "idempotency key reused with a different body";
      throw new Refusal(409, "IDEMPOTENCY_CONFLICT", why);
    }
    const id = `evt_${this.#nextId++}`;
    if (key !== undefined) {
      const until = this.now + KEY_LIFE_MS;
      this.#keys.set(key, { body: shape, id, scope, until });
    }
    this.events.push({
      id,
      key,
      body,
      scope,
      labels,
      text,
      recordedAt: new Date(this.now).toISOString(),
      hiddenFromListings: options.listingLag,
      hiddenFromRecalls: options.recallLag,
    });
    if (!this.scopes.has(scope)) {
      const members = [{ actor: options.actor, role: "owner" }];
      this.scopes.set(scope, { path: scope, members, isAutoProvisioned: true });
    }
    return { id, isReplay: false };
  }

  /** Events of exactly this scope that listings show, newest first. */
  listed(scope: string, labels: readonly string[]): readonly DoubleEvent[] {
    const shown = this.events.filter((event) => {
      if (event.scope !== scope) return false;
      return event.hiddenFromListings-- <= 0;
    });
    return shown.reverse().filter((event) => hasAny(event, labels));
  }

  /** Builds a pack: exact, with ancestors, or with descendants. */
  recall(scope: string, query: {
    readonly words: string;
    readonly view: string;
    readonly labels: readonly string[];
    readonly limit: number;
    /** What all texts together may have; the best one always fits. */
    readonly characters?: number;
  }): { id: string; events: readonly DoubleEvent[] } {
    const words = query.words.toLowerCase().split(/\W+/)
      .filter((word) => word.length > 2);
    const score = ({ text }: DoubleEvent) =>
      words.filter((word) => text.toLowerCase().includes(word)).length;
    const inReach = (path: string) =>
      path === scope ||
      query.view === "holistic" && isWithin(scope, path) ||
      query.view === "descend" && isWithin(path, scope);
    let left = query.characters ?? Infinity;
    const events = this.events
      .filter((event) => inReach(event.scope) && hasAny(event, query.labels))
      .filter((event) => event.hiddenFromRecalls-- <= 0)
      .reverse()
      .filter((event) => words.length === 0 || score(event) > 0)
      .sort((a, b) => score(b) - score(a))
      .slice(0, query.limit)
      .filter(({ text }, index) => {
        if (index > 0 && text.length > left) return false;
        left -= text.length;
        return true;
      });
    const id = `pack_${this.#nextId++}`;
    this.#packs.set(id, { scope, events, until: this.now + PACK_LIFE_MS });
    return { id, events };
  }

  /** The pack's events, or undefined when it is gone. */
  pack(id: string, scope: string): readonly DoubleEvent[] | undefined {
    const pack = this.#packs.get(id);
    if (pack === undefined || pack.until <= this.now) return undefined;
    if (pack.scope !== scope) throw new Refusal(422, "INVALID_BODY");
    return pack.events;
  }

  /** Removes events of exactly this scope; every pack is lost, whoever's. */
  forget(
    scope: string,
    ids: readonly string[] | "all",
    options: { isRedacting: boolean; releasesKeys: boolean },
  ): number {
    this.#packs = new Map();
    const isMeant = (event: DoubleEvent) =>
      event.scope === scope && (ids === "all" || ids.includes(event.id));
    const meant = this.events.filter(isMeant);
    if (!options.isRedacting) return meant.length;
    this.events = this.events.filter((event) => !isMeant(event));
    if (options.releasesKeys && ids !== "all") this.#release(meant);
    return meant.length;
  }

  /** Erases a scope; below it `redact` takes the events and keeps the keys. */
  erase(scope: string, below: "redact" | "erase" | "keep"): void {
    this.#packs = new Map();
    const isAt = (event: DoubleEvent) => event.scope === scope;
    const isBelow = (event: DoubleEvent) =>
      !isAt(event) && isWithin(event.scope, scope);
    this.#release(
      this.events.filter((event) =>
        isAt(event) || below === "erase" && isBelow(event)
      ),
    );
    for (const [key, held] of this.#keys) {
      // Keys of events forgotten earlier are the scope's own, too.
      if (held.scope === scope) this.#keys.delete(key);
    }
    this.events = this.events.filter((event) =>
      !isAt(event) && (below === "keep" || !isBelow(event))
    );
  }

  #release(events: readonly DoubleEvent[]): void {
    for (const { key } of events) if (key !== undefined) this.#keys.delete(key);
  }
}

function hasAny(event: DoubleEvent, labels: readonly string[]): boolean {
  return labels.length === 0 ||
    event.labels.some((label) => labels.includes(label));
}
