/**
 * Group `notifications`: notices for people.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { actionNotification } from "./action_notification.ts";
import { getNotifications } from "./get_notifications.ts";
import { sendPushNotification } from "./send_push_notification.ts";

/** The group. */
export const notificationsGroup: ToolGroup = {
  name: "notifications",
  kind: "base",
  isSessionDefault: false,
  summary: "Notifications for people",
  tools: [getNotifications, sendPushNotification, actionNotification],
};
