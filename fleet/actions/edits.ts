/**
 * Changes of what a session is: they hold from its next turn on, and never
 * touch one under way.
 *
 * @module
 */
import { type CatalogSnapshot, decideBy } from "../../catalog/mod.ts";
import { keepCategory } from "../../store/around_sessions/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import {
  editSession,
  type SchedulingClass,
  type Session,
  type SessionEdit,
  type Visibility,
  writeLog,
} from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { notThere } from "../categories/categories.ts";
import { assertNoFence } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { knownGoal, knownList, type ListName } from "../sessions/artifacts.ts";
import { assertModel } from "../sessions/request.ts";
import {
  assertPlacing,
  classOf,
  placeOf,
  type Placing,
} from "../sessions/scheduling.ts";
import {
  assertLength,
  assertRange,
  assertTitle,
  badArgument,
  LIMITS,
} from "../sessions/texts.ts";
import { withSession } from "../sessions/with_session.ts";
import { readLocalTime } from "../wakes/time.ts";
import { databaseTime } from "../wakes/arm.ts";

/** A session before and after a change. */
export interface Edited {
  /** As it was. */
  readonly before: Session;
  /** As it is. */
  readonly session: Session;
}

/** A change, as it follows from what the session is and what is in the way. */
type Decide = (
  tx: Transaction,
  session: Session,
) => SessionEdit | Promise<SessionEdit>;

async function edit(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  decide: Decide,
): Promise<Edited> {
  return await withSession(
    fleet,
    caller,
    { id, act: "changing it" },
    async (tx, before) => {
      const change = await decide(tx, before);
      const session = await editSession(tx, id, change);
      await writeLog(tx, id, `Changed: ${Object.keys(change).join(", ")}`);
      return { before, session };
    },
  );
}

const LIST_COLUMNS = {
  mcp_servers: "mcpServers",
  skills: "catalogSkills",
  hooks: "catalogHooks",
  plugins: "catalogPlugins",
} as const satisfies Record<ListName, keyof SessionEdit>;

/** Replaces a list; an empty one means none. */
export async function changeList(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  { list, names }: {
    readonly list: ListName;
    readonly names: readonly string[];
  },
): Promise<Edited> {
  if (list === "mcp_servers" || list === "plugins") {
    assertNoFence(caller.fence, `changing ${list}`);
  }
  return await decideBy(fleet.catalog, (catalog: CatalogSnapshot) => {
    const known = knownList(catalog, list, names);
    return edit(fleet, caller, id, (_tx, { metadata }) => {
      const chosen = new Set(
        Array.isArray(metadata.chosen_lists)
          ? metadata.chosen_lists.map(String)
          : [],
      );
      return {
        [LIST_COLUMNS[list]]: known,
        // That it was chosen, and not left to the root: also when it is empty.
        metadata: { ...metadata, chosen_lists: [...chosen.add(list)].sort() },
      };
    });
  });
}

/** Changes the model. */
export function changeModel(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  model: string,
): Promise<Edited> {
  assertModel(model);
  return edit(fleet, caller, id, (_tx, { config }) => ({
    config: { ...config, model },
  }));
}

/** Changes what is to be reached; a blank text takes it away. */
export async function changeGoal(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  goal: string,
): Promise<Edited> {
  assertLength(goal, "goal", LIMITS.goal);
  return await decideBy(fleet.catalog, (catalog) => {
    const meant = goal.trim() === "" ? null : knownGoal(catalog, goal);
    return edit(fleet, caller, id, () => ({ goal: meant }));
  });
}

/** Changes when its agent compacts, in tokens. */
export function changeAutoCompactWindow(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  autoCompactWindow: number,
): Promise<Edited> {
  assertRange(autoCompactWindow, "auto_compact_window", [1, 1_000_000]);
  return edit(fleet, caller, id, () => ({ autoCompactWindow }));
}

/** Both classes of a session that was changed, each with where it comes from. */
export interface Classed extends Edited {
  /** The class before. */
  readonly old: { readonly name: SchedulingClass; readonly source: string };
  /** The class now. */
  readonly now: { readonly name: SchedulingClass; readonly source: string };
}

/** Changes the class, null for that of its genesis, and the place with it. */
export async function changeSchedulingClass(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  asked: Placing & { readonly schedulingClass: SchedulingClass | null },
): Promise<Classed> {
  assertPlacing(asked);
  const { schedulingClass } = asked;
  const edited = await edit(fleet, caller, id, async (tx) => {
    const precedence = await placeOf(tx, asked);
    return {
      schedulingClass,
      ...(precedence === undefined ? {} : { precedence }),
    };
  });
  const db = await fleet.store.db();
  return {
    ...edited,
    old: await classOf(db, edited.before),
    now: await classOf(db, edited.session),
  };
}

/** Changes the place among spot sessions. */
export async function changePrecedence(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  asked: Placing,
): Promise<Classed> {
  assertPlacing(asked);
  const edited = await edit(fleet, caller, id, async (tx) => {
    const precedence = await placeOf(tx, asked);
    if (precedence === undefined) throw badArgument("Give precedence or place");
    return { precedence };
  });
  const db = await fleet.store.db();
  const now = await classOf(db, edited.session);
  return { ...edited, old: now, now };
}

/** Changes the category; null for none. */
export function changeCategory(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  categoryId: number | null,
): Promise<Edited> {
  return edit(fleet, caller, id, async (tx) => {
    if (categoryId === null) return { categoryId };
    // Kept until this is done: of one deleted meanwhile nothing would be known.
    if (await keepCategory(tx, categoryId) === undefined) {
      throw notThere(categoryId);
    }
    return { categoryId };
  });
}

/** Whether a session's card is on the board. */
export interface Sight {
  /** The choice. */
  readonly visibility: Visibility;
  /** End of a snooze: local time without an offset. */
  readonly snoozedUntil?: string | undefined;
  /** Its zone. @default {"UTC"} */
  readonly timezone?: string | undefined;
}

/** Puts a session's card on the board, or off it. No scheduler looks at it. */
export function setVisibility(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  { visibility, snoozedUntil, timezone }: Sight,
): Promise<Edited> {
  if (visibility !== "snoozed") {
    if (snoozedUntil !== undefined) {
      throw badArgument("snoozed_until goes with visibility snoozed only");
    }
    return edit(fleet, caller, id, () => ({ visibility, snoozedUntil: null }));
  }
  if (snoozedUntil === undefined) {
    throw badArgument("visibility snoozed needs snoozed_until");
  }
  const { instant, local, timezone: zone } = readLocalTime(
    snoozedUntil,
    timezone,
    "snoozed_until",
  );
  return edit(fleet, caller, id, async (tx) => {
    const now = await databaseTime(tx);
    if (instant > now) return { visibility, snoozedUntil: instant };
    throw badArgument(
      `snoozed_until has to lie ahead; it is now ${now.toISOString()}, and ${local} in ${zone} is ${instant.toISOString()}. Nothing was changed`,
    );
  });
}

/** Turns notices for people on or off. */
export function togglePush(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<Edited> {
  return edit(fleet, caller, id, (_tx, { pushNotificationsEnabled }) => ({
    pushNotificationsEnabled: !pushNotificationsEnabled,
  }));
}

/** Marks a session, or takes the mark away. */
export function toggleFavorite(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<Edited> {
  return edit(fleet, caller, id, (_tx, { isFavorited }) => ({
    isFavorited: !isFavorited,
  }));
}

/** Sets the heartbeat. */
export function setHeartbeat(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  { isEnabled, intervalSeconds }: {
    readonly isEnabled?: boolean | undefined;
    readonly intervalSeconds?: number | undefined;
  },
): Promise<Edited> {
  if (isEnabled === undefined && intervalSeconds === undefined) {
    throw badArgument("set_heartbeat needs enabled or interval_seconds");
  }
  if (intervalSeconds !== undefined) {
    assertRange(intervalSeconds, "interval_seconds", [30, 86_400]);
  }
  return edit(fleet, caller, id, () => ({
    ...(isEnabled === undefined ? {} : { heartbeatEnabled: isEnabled }),
    ...(intervalSeconds === undefined
      ? {}
      : { heartbeatIntervalSeconds: intervalSeconds }),
  }));
}

/** Writes a session's notes; a blank text takes them away. */
export function updateNotes(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  notes: string,
): Promise<Edited> {
  assertLength(notes, "session_notes", LIMITS.notes);
  return edit(fleet, caller, id, () => ({
    notes: notes.trim() === "" ? null : notes,
  }));
}

/** Gives a session another title. */
export function updateTitle(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  title: string,
): Promise<Edited> {
  assertTitle(title);
  return edit(fleet, caller, id, (_tx, { metadata }) => {
    const { auto_generated_title: _, ...rest } = metadata;
    return { title: title.trim(), metadata: rest };
  });
}
