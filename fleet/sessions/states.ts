/**
 * The state machine of sessions: which event leads from which states to which,
 * what must hold, and what else the same transaction does. Pure data.
 *
 * @module
 */
import type { SessionStatus } from "../../store/sessions/mod.ts";

/** What happens to a session. */
export type SessionEvent = "register" | "archive";

/** What each state means, for people. */
export const STATES: Readonly<Record<SessionStatus, string>> = {
  running: "a turn is under way",
  waiting: "nothing was asked of it yet, or what was asked waits for its time",
  needs_input: "its turn is over, and it rests until somebody writes to it",
  archived: "it is over: no token opens it, and it stays as a record",
  failed: "its turn broke down",
};

/** What must hold for an event, as people read it. */
export const GUARDS = {
  root_known: "its agent root is in the catalog, aliases applied",
  groups_known: "every tool group it names exists",
  parent_exists: "the session named as its parent exists",
  slug_free: "no other session has its slug",
} as const;

/** What an event does beside the new state, as people read it. */
export const EFFECTS = {
  make_token: "a token is made, unless none is wanted",
  note_archive: "the time is noted in `archived_at`",
  end_token: "its token stops working",
} as const;

/** A line of the table. */
export interface Transition {
  /** States in which it may happen; none where there is no session yet. */
  readonly from: readonly SessionStatus[];
  /** The state after it. */
  readonly to: SessionStatus;
  /** Whether it changes nothing when that is the state already. */
  readonly isIdempotent: boolean;
  /** What must hold. Whoever lets it happen checks it. */
  readonly guards: readonly (keyof typeof GUARDS)[];
  /** What else happens, in the same transaction. */
  readonly effects: readonly (keyof typeof EFFECTS)[];
}

/** The table. */
export const TRANSITIONS: Readonly<Record<SessionEvent, Transition>> = {
  register: {
    from: [],
    to: "waiting",
    isIdempotent: false,
    guards: ["root_known", "groups_known", "parent_exists", "slug_free"],
    effects: ["make_token"],
  },
  archive: {
    from: ["running", "waiting", "needs_input", "failed"],
    to: "archived",
    isIdempotent: true,
    guards: [],
    effects: ["note_archive", "end_token"],
  },
};

/** What an event means for a session in a state. */
export function lookUp(
  event: SessionEvent,
  status: SessionStatus,
): Transition | "unchanged" | "refused" {
  const transition = TRANSITIONS[event];
  if (transition.from.includes(status)) return transition;
  return transition.isIdempotent && transition.to === status
    ? "unchanged"
    : "refused";
}
