/**
 * What people deal with around sessions: notices.
 *
 * @module
 */
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
