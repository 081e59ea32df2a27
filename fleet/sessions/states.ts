/**
 * The state machine of sessions: which event leads from which states to which,
 * what must hold, and what else the same transaction does. Pure data.
 *
 * @module
 */
import type { SessionStatus } from "../../store/sessions/mod.ts";

/** What happens to a session. */
export type SessionEvent =
  | "register"
  | "queue"
  | "dequeue"
  | "lease"
  | "retry"
  | "rest"
  | "sleep"
  | "block"
  | "unblock"
  | "fail"
  | "archive"
  | "unarchive";

/** What each state means, for people. */
export const STATES: Readonly<Record<SessionStatus, string>> = {
  running: "an agent has its turn: a runner holds the lease",
  waiting:
    "nothing was asked of it yet, or what was asked waits: for a runner, for its time, for a wake, for room",
  needs_input:
    "its turn is over, and it rests until somebody writes to it; not an error, and nothing is lost",
  archived: "it is over: no token opens it, and it stays as a record",
  failed: "its turn broke down, and nothing tries it again by itself",
};

/** What must hold for an event, as people read it. */
export const GUARDS = {
  root_known:
    "its agent root is in the catalog, aliases applied, or it names a repository",
  groups_known: "every tool group it names exists",
  parent_exists: "the session named as its parent exists",
  slug_free: "no other session has its slug",
  runner_drives: "a runner carries out its turns, not a client",
  something_asked: "it has a prompt or a pending message",
  no_turn: "no turn of it is queued or under way",
  turn_leased: "a runner has leased its turn",
  turn_ended: "its turn is over",
  turn_taken_back: "its queued turn was taken back",
  question_open: "its agent asks a question and waits for the answer",
} as const;

/** What an event does beside the new state, as people read it. */
export const EFFECTS = {
  make_token: "a token is made, unless none is wanted",
  end_token: "its token stops working",
  stale_notices: "its notices are marked stale",
  drop_notices: "its notices are deleted",
  tell_at_rest:
    "a minute later, if it still stands there, its watchers are woken and people are told",
  tell_now: "its watchers are woken and people are told",
  note_archive: "the time is noted in `archived_at`, its tree is kept 4 days",
  forget_archive: "its tree is kept again, as far as it is still there",
  retire_messages:
    "messages still to be said are retired as undelivered, and named in its log",
  end_turn: "its queued turn is taken back, one under way is told to stop",
  close_questions: "questions of its agent that are still open are cancelled",
  keep_pending_sleep: "it still does the same when its turn ends",
  drop_wakes:
    "its own wakes end, and those of others that watch it for anything but its archive",
} as const;

/** What happens beside the new state. */
export type Effect = keyof typeof EFFECTS;

/** A line of the table. */
export interface Transition {
  /** States in which it may happen; none where there is no session yet. */
  readonly from: readonly SessionStatus[];
  /** The states after it; whoever lets it happen chooses among several. */
  readonly to: readonly [SessionStatus, ...SessionStatus[]];
  /** Whether it changes nothing when that is the state already. */
  readonly isIdempotent: boolean;
  /** What must hold. Whoever lets it happen checks it. */
  readonly guards: readonly (keyof typeof GUARDS)[];
  /** What else happens, in the same transaction. */
  readonly effects: readonly Effect[];
}

/** The table. */
export const TRANSITIONS: Readonly<Record<SessionEvent, Transition>> = {
  register: {
    from: [],
    to: ["waiting"],
    isIdempotent: false,
    guards: ["root_known", "groups_known", "parent_exists", "slug_free"],
    effects: ["make_token"],
  },
  queue: {
    from: ["waiting", "needs_input", "failed"],
    to: ["waiting"],
    isIdempotent: false,
    guards: ["runner_drives", "something_asked", "no_turn"],
    effects: ["stale_notices"],
  },
  dequeue: {
    from: ["waiting"],
    to: ["needs_input", "waiting"],
    isIdempotent: false,
    guards: ["turn_taken_back"],
    effects: [],
  },
  lease: {
    from: ["waiting"],
    to: ["running"],
    isIdempotent: false,
    guards: ["runner_drives", "turn_leased"],
    effects: ["stale_notices"],
  },
  retry: {
    from: ["running", "needs_input"],
    to: ["waiting"],
    isIdempotent: false,
    guards: ["turn_ended"],
    effects: ["close_questions"],
  },
  rest: {
    from: ["running", "needs_input"],
    to: ["needs_input"],
    isIdempotent: false,
    guards: ["turn_ended"],
    effects: ["close_questions", "tell_at_rest"],
  },
  sleep: {
    from: ["needs_input", "waiting"],
    to: ["waiting"],
    isIdempotent: false,
    guards: ["runner_drives", "no_turn"],
    effects: [],
  },
  block: {
    from: ["running"],
    to: ["needs_input"],
    isIdempotent: false,
    guards: ["question_open"],
    effects: ["keep_pending_sleep", "tell_at_rest"],
  },
  unblock: {
    from: ["needs_input"],
    to: ["running"],
    isIdempotent: false,
    guards: ["turn_leased"],
    effects: ["keep_pending_sleep", "stale_notices"],
  },
  fail: {
    from: ["waiting", "running", "needs_input"],
    to: ["failed"],
    isIdempotent: false,
    guards: ["turn_ended"],
    effects: ["close_questions", "tell_now"],
  },
  archive: {
    from: ["running", "waiting", "needs_input", "failed"],
    to: ["archived"],
    isIdempotent: true,
    guards: [],
    effects: [
      "note_archive",
      "end_token",
      "retire_messages",
      "close_questions",
      "end_turn",
      "drop_wakes",
      "drop_notices",
      "tell_now",
    ],
  },
  unarchive: {
    from: ["archived"],
    to: ["needs_input", "waiting", "failed"],
    isIdempotent: false,
    guards: [],
    effects: ["forget_archive"],
  },
};

/** What an event means for a session in a state. */
export function lookUp(
  event: SessionEvent,
  status: SessionStatus,
): Transition | "unchanged" | "refused" {
  const transition = TRANSITIONS[event];
  if (transition.from.includes(status)) return transition;
  return transition.isIdempotent && transition.to.includes(status)
    ? "unchanged"
    : "refused";
}
