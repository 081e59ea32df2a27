/**
 * Sending notices to people: browsers, keys, and how it goes.
 *
 * @module
 */
export type {
  ListedSubscription,
  PushSubscription,
  SendableNotice,
  TargetTrouble,
  VapidKeys,
} from "./targets.ts";
export {
  countSubscriptions,
  dropSubscription,
  dropSubscriptionsBut,
  findSendable,
  findSubscription,
  keepVapidKeys,
  listSubscriptionIds,
  listSubscriptions,
  noteSent,
  noteUnsent,
  readTargetTroubles,
  readVapidKeys,
  saveSubscription,
} from "./targets.ts";
