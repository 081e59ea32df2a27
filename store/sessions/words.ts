/**
 * The words of a session's columns, in the order in which they are shown.
 *
 * @module
 */

/** States of a session. */
export type SessionStatus =
  | "running"
  | "waiting"
  | "needs_input"
  | "archived"
  | "failed";

/** All states, in display order. */
export const SESSION_STATUSES: readonly SessionStatus[] = [
  "running",
  "waiting",
  "needs_input",
  "archived",
  "failed",
];

/** Why a session waits. */
export type WaitReason =
  /** Nothing was asked of it yet. */
  | "never_started"
  /** A turn of it is queued for a runner. */
  | "queued"
  /** A turn is tried again, not before `waitUntil`. */
  | "retrying"
  /** Its agent's login is at a limit until `waitUntil`. */
  | "parked"
  /** It sleeps until one of its wakes fires. */
  | "asleep"
  /** It was put into the spot queue: resumed when there is room. */
  | "spot_queue"
  /** Its first turn is held by the spot gate. */
  | "spot_hold"
  /** Paused by the ceiling on spot sessions. */
  | "spot_pause"
  /** Its agent's login is out. */
  | "auth_outage";

/** What caused a session, or the first of its ancestors. */
export type Genesis =
  | "web_ui"
  | "slack"
  | "github_issue"
  | "github_label"
  | "schedule"
  | "ao_event"
  | "system_event"
  | "webhook"
  | "api"
  | "unknown";

/** All of them. */
export const GENESES: readonly Genesis[] = [
  "web_ui",
  "slack",
  "github_issue",
  "github_label",
  "schedule",
  "ao_event",
  "system_event",
  "webhook",
  "api",
  "unknown",
];

/** Whether a session runs at once, or when there is room. */
export type SchedulingClass = "priority" | "spot";

/** All classes. */
export const SCHEDULING_CLASSES: readonly SchedulingClass[] = [
  "priority",
  "spot",
];

/** Whether a session's card is on the board. */
export type Visibility = "visible" | "hidden" | "snoozed";

/** All of them. */
export const VISIBILITIES: readonly Visibility[] = [
  "visible",
  "hidden",
  "snoozed",
];

/** Who carries out a session's turns. */
export type SessionDriver = "client" | "runner";

/** All drivers. */
export const SESSION_DRIVERS: readonly SessionDriver[] = ["client", "runner"];
