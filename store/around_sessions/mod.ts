/**
 * What people deal with around sessions: notices, categories, questions of
 * agents, analyses, and what they say themselves.
 *
 * @module
 */
export type { Analysis, NewAnalysis } from "./analyses.ts";
export { findAnalysis, insertAnalysis } from "./analyses.ts";
export type { Category, CategoryBoard, CategoryEdit } from "./categories.ts";
export {
  deleteCategory,
  insertCategory,
  keepCategory,
  lockCategories,
  placeCategories,
  readCategories,
  updateCategory,
} from "./categories.ts";
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
