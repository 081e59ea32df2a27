/**
 * The one way a session begins, whoever asks for it.
 *
 * Everything is checked before anything is written: the fence first, then the
 * key of a start that was made before, then the request. A session that a
 * client registers for itself is driven by that client: no runner ever takes it.
 *
 * @module
 */
import { decideBy } from "../../catalog/mod.ts";
import type { Db, Transaction } from "../../store/pg/mod.ts";
import {
  findOpenTurn,
  findSession,
  findSessionByKey,
  insertSession,
  type NewSession,
  type OpenTurn,
  readOffer,
  type Session,
  type StartedSession,
} from "../../store/sessions/mod.ts";
import { type FleetCaller, UNRESTRICTED } from "../caller.ts";
import { readBeside } from "../beside.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { noteAuthor } from "../queue/deliver.ts";
import { offerTurn } from "./offer.ts";
import { assertReach } from "./reach.ts";
import {
  assertKey,
  assertStartInside,
  resolveRequest,
  type SessionRequest,
} from "./request.ts";
import { clampPrecedence, placeOf } from "./scheduling.ts";
import { TRANSITIONS } from "./states.ts";

/** A session that was started, now or by an earlier call of the same key. */
export interface Started extends StartedSession {
  /** Whether an earlier call with the same key made it. */
  readonly isReplay: boolean;
  /** Its turn that is queued or under way. */
  readonly turn: OpenTurn | undefined;
  /** What stands in its way, for people. */
  readonly warnings: readonly string[];
}

/**
 * Starts a session.
 *
 * @throws {FleetRefusalError} A rule says no.
 * @throws {StoreRefusalError} A text that the database cannot hold.
 * @throws {CatalogUnavailableError} The catalog cannot be read.
 */
export async function startSession(
  fleet: Fleet,
  request: SessionRequest,
  caller: FleetCaller = UNRESTRICTED,
): Promise<Started> {
  const { catalog, store } = fleet;
  const { idempotencyKey } = request;
  await decideBy(
    catalog,
    (snapshot) => assertStartInside(caller, snapshot, request),
  );
  assertKey(idempotencyKey);
  const db = await store.db();
  if (idempotencyKey !== undefined) {
    const made = await findSessionByKey(db, idempotencyKey);
    if (made !== undefined) return await replay(db, made);
  }
  const checked = await decideBy(
    catalog,
    (snapshot) => resolveRequest(fleet, snapshot, request),
  );
  const result = await db.transaction((tx) =>
    startChecked(tx, request, { checked, caller })
  );
  if (!("isReplay" in result)) return await replay(db, result);
  const { session } = result;
  return {
    ...result,
    warnings: await readBeside(() => warningsFor(db, session), []),
  };
}

/**
 * The same within a transaction, for a request that {@link resolveRequest}
 * passed: the session, or that of an earlier call with its key.
 */
export async function startChecked(
  tx: Transaction,
  request: SessionRequest,
  { checked, caller = UNRESTRICTED }: {
    readonly checked: Omit<NewSession, "status">;
    readonly caller?: FleetCaller | undefined;
  },
): Promise<Started | Session> {
  const parent = await findParent(tx, request, caller);
  const started = await insertSession(tx, {
    ...checked,
    status: TRANSITIONS.register.to[0],
    waitReason: "never_started",
    parentSessionId: parent?.id,
    genesis: parent?.genesis ?? request.genesis,
    precedence: await placeOf(tx, request) ??
      (parent === undefined ? 0 : clampPrecedence(parent.precedence + 1)),
  });
  if (started === undefined) return await findOther(tx, request);
  const { session } = started;
  if (request.prompt !== undefined) {
    const { author, prompt: content } = request;
    await noteAuthor(tx, session.id, { author, content }, { start: true });
  }
  if (session.drivenBy !== "runner" || request.prompt === undefined) {
    return { ...started, isReplay: false, turn: undefined, warnings: [] };
  }
  const offered = await offerTurn(tx, session, {
    kind: "start",
    prompt: request.prompt,
    goal: checked.goal,
  });
  return {
    ...offered,
    token: started.token,
    isReplay: false,
    warnings: [],
  };
}

/** What an earlier call with the same key made. */
async function replay(db: Db, session: Session): Promise<Started> {
  return {
    session,
    token: undefined,
    isReplay: true,
    turn: await findOpenTurn(db, session.id),
    warnings: await warningsFor(db, session),
  };
}

/** The session that was in the way of an insertion. */
async function findOther(
  tx: Transaction,
  { idempotencyKey, slug }: SessionRequest,
): Promise<Session> {
  const made = idempotencyKey === undefined
    ? undefined
    : await findSessionByKey(tx, idempotencyKey);
  if (made !== undefined) return made;
  throw new FleetRefusalError(
    "bad_argument",
    `The slug "${slug}" belongs to another session; choose another`,
  );
}

/** The session that starts it: the one named, or whose token calls. */
async function findParent(
  tx: Transaction,
  { parentSessionId }: SessionRequest,
  caller: FleetCaller,
): Promise<Session | undefined> {
  const id = parentSessionId ??
    (caller.isConfined ? caller.sessionId ?? undefined : undefined);
  if (id === undefined) return undefined;
  const parent = await findSession(tx, id);
  if (parent === undefined) {
    throw new FleetRefusalError(
      "not_found",
      `Session ${id}, named as the parent, does not exist`,
    );
  }
  await assertReach(tx, caller, id);
  return parent;
}

/** Why a session may wait longer than people expect. */
export async function warningsFor(
  db: Db,
  { drivenBy, agentRuntime, status }: Session,
): Promise<readonly string[]> {
  if (drivenBy !== "runner" || agentRuntime === null) return [];
  if (status !== "waiting") return [];
  const { seen, runtimes } = await readOffer(db);
  if (runtimes.includes(agentRuntime)) return [];
  return [
    seen === 0
      ? "No runner was seen in the last minute: nothing runs until one is started (deno task runner)"
      : `No runner offers the runtime ${agentRuntime}: the session waits until one does. Offered now: ${
        runtimes.length === 0 ? "none" : runtimes.join(", ")
      }`,
  ];
}
