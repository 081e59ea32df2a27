/**
 * The one way a session begins, whoever asks for it.
 *
 * Everything is checked before anything is written. A session that a client
 * registers for itself is driven by that client: no runner ever takes it.
 *
 * @module
 */
import { decideBy } from "../../catalog/mod.ts";
import { assertStorable, type Transaction } from "../../store/pg/mod.ts";
import {
  findSession,
  insertSession,
  type StartedSession,
} from "../../store/sessions/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { assertGroups } from "./groups.ts";
import { knownRoot } from "./root.ts";
import { TRANSITIONS } from "./states.ts";

/** What a session is asked for with. */
export interface SessionRequest {
  /** Its agent root, by name or alias. */
  readonly agentRoot: string;
  /** 1 to 100 characters. @default {"Session <id>"} */
  readonly title?: string | undefined;
  /** Lowercase letters, digits and `-`, not all digits; no other session's. */
  readonly slug?: string | undefined;
  /** The session that starts it. */
  readonly parentSessionId?: number | undefined;
  /** Tool groups its token reaches. @default {those of every session} */
  readonly toolGroups?: readonly string[] | undefined;
  /** The caller's own data: a JSON object of at most 32 KB. */
  readonly customMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** Whether to issue a token. @default {true} */
  readonly withToken?: boolean | undefined;
}

const SLUG_REGEXP = /^[a-z0-9-]{1,100}$/;
const MAX_TITLE_CHARACTERS = 100;
const MAX_CUSTOM_METADATA_BYTES = 32 * 1024;

/**
 * Registers a session.
 *
 * @throws {FleetRefusalError} A rule says no.
 * @throws {StoreRefusalError} A text that the database cannot hold.
 * @throws {CatalogUnavailableError} The catalog cannot be read.
 */
export async function startSession(
  { catalog, store, groupNames }: Fleet,
  request: SessionRequest,
): Promise<StartedSession> {
  const { title, slug, parentSessionId, toolGroups, customMetadata } = request;
  const root = await decideBy(
    catalog,
    (snapshot) => knownRoot(snapshot, request.agentRoot),
  );
  if (toolGroups !== undefined) {
    assertGroups(toolGroups, { known: groupNames, what: "tool_groups" });
  }
  assertTitle(title);
  assertSlug(slug);
  assertCustomMetadata(customMetadata);
  const db = await store.db();
  return await db.transaction(async (tx) => {
    await assertParent(tx, parentSessionId);
    const started = await insertSession(tx, {
      agentRootKey: root.name,
      status: TRANSITIONS.register.to[0],
      waitReason: "never_started",
      drivenBy: "client",
      title: title?.trim(),
      slug,
      parentSessionId,
      toolGroups,
      customMetadata,
      withToken: request.withToken,
    });
    if (started !== undefined) return started;
    throw new FleetRefusalError(
      "bad_argument",
      `The slug "${slug}" belongs to another session; choose another`,
    );
  });
}

function assertTitle(title: string | undefined): void {
  if (title === undefined) return;
  assertStorable(title, "the title");
  const characters = [...title.trim()].length;
  if (characters >= 1 && characters <= MAX_TITLE_CHARACTERS) return;
  throw new FleetRefusalError(
    "bad_argument",
    `A title has 1 to ${MAX_TITLE_CHARACTERS} characters; this has ${characters}`,
  );
}

function assertSlug(slug: string | undefined): void {
  if (slug === undefined) return;
  // A slug of digits only would be taken for a session's number.
  if (SLUG_REGEXP.test(slug) && !/^[0-9]+$/.test(slug)) return;
  throw new FleetRefusalError(
    "bad_argument",
    "A slug has 1 to 100 lowercase letters, digits or -, and not only digits",
  );
}

function assertCustomMetadata(
  data: Readonly<Record<string, unknown>> | undefined,
): void {
  if (data === undefined) return;
  // Bytes first: the walk below costs as much as there is.
  const bytes = new TextEncoder().encode(JSON.stringify(data)).length;
  if (bytes <= MAX_CUSTOM_METADATA_BYTES) {
    assertStorable(data, "custom_metadata");
    return;
  }
  throw new FleetRefusalError(
    "data_too_large",
    `A session's custom_metadata is JSON of 32 KB at most; this has ${bytes} bytes, and the limit is ${MAX_CUSTOM_METADATA_BYTES}`,
  );
}

async function assertParent(
  tx: Transaction,
  id: number | undefined,
): Promise<void> {
  if (id === undefined || await findSession(tx, id) !== undefined) return;
  throw new FleetRefusalError(
    "not_found",
    `Session ${id}, named as the parent, does not exist`,
  );
}
