/**
 * What people deal with around sessions: notices, questions of agents, and what
 * they say themselves.
 *
 * @module
 */
export type {
  Elicitation,
  ElicitationFilter,
  ElicitationStatus,
  NewElicitation,
} from "./elicitations.ts";
export {
  cancelElicitations,
  countOpenElicitations,
  expireElicitations,
  findElicitation,
  findWithOverdue,
  insertElicitation,
  listElicitations,
  resolveElicitation,
} from "./elicitations.ts";
export type { Notification, NotificationFilter } from "./notifications.ts";
export {
  countNotifications,
  dismiss,
  dismissAllRead,
  findNotification,
  listNotifications,
  markAllRead,
  markRead,
} from "./notifications.ts";
export type { NewHumanMessage } from "./human_messages.ts";
export { insertHumanMessage } from "./human_messages.ts";
