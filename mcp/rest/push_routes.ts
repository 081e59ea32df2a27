/**
 * Routes of Web Push: the key that a browser subscribes with, and its
 * subscription.
 *
 * @module
 */
import { pushKey, subscribe, unsubscribe } from "../../fleet/mod.ts";
import { fleetOf } from "../fleet.ts";
import { COUNT, FLAG, inputOf, NO_INPUT, objectOf, TEXT } from "../schema.ts";
import { defineRoute, type RestRoute } from "./route.ts";

const ENDPOINT = {
  type: "string",
  description: "The endpoint of the browser's PushSubscription",
} as const;

/** The routes. */
export const PUSH_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/push/key",
    operationId: "get_push_key",
    summary:
      "The key that a browser subscribes to Web Push with: applicationServerKey",
    input: NO_INPUT,
    output: objectOf({ public_key: TEXT }),
    run: async ({ services }) => ({ public_key: await pushKey(services) }),
  }),
  defineRoute({
    method: "POST",
    path: "/push/subscriptions",
    operationId: "subscribe_to_push",
    summary:
      "Sends every notice from now on to a browser; the same endpoint is one",
    input: inputOf({
      endpoint: ENDPOINT,
      keys: {
        type: "object",
        properties: { p256dh: TEXT, auth: TEXT },
        required: ["p256dh", "auth"],
        additionalProperties: false,
        description: "Its keys, as toJSON() of the subscription has them",
      },
    }, ["endpoint", "keys"]),
    status: 201,
    output: objectOf({ id: COUNT }),
    run: async ({ services }, { endpoint, keys }) => ({
      id: await subscribe(fleetOf(services), { endpoint, ...keys }, null),
    }),
  }),
  defineRoute({
    method: "POST",
    path: "/push/subscriptions/delete",
    operationId: "unsubscribe_from_push",
    summary: "Sends nothing more to a browser",
    input: inputOf({ endpoint: ENDPOINT }, ["endpoint"]),
    output: objectOf({ was_subscribed: FLAG }),
    run: async ({ services }, { endpoint }) => ({
      was_subscribed: await unsubscribe(fleetOf(services), endpoint, null),
    }),
  }),
];
