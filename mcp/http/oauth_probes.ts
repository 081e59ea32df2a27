/**
 * What clients ask of an authorization server after a 401: there is none, and
 * the answers say what to send instead, in the members that OAuth clients show.
 *
 * @module
 */
import type { Context } from "hono";
import { envelopeOf, REFUSAL } from "./envelope.ts";
import type { App } from "./gate.ts";

const NO_OAUTH =
  "This server has no OAuth, and the credential of the request before was missing or wrong: configure the client with a header, X-API-Key or Authorization: Bearer with an API key, or Authorization: Bearer with a session's token (rcs_…). connect prints the entry";

/** Where clients look for what an authorization server says of itself. */
const DISCOVERY = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
];

/** Mounts the answers; anybody may ask. */
export function mountOauthProbes(app: App): void {
  for (const path of DISCOVERY) {
    app.get(path, notFound);
    app.get(`${path}/*`, notFound);
  }
  app.get("/authorize", notFound);
  for (const path of ["/register", "/token"]) {
    app.post(path, (c) => answer(c, 401, "invalid_client"));
  }
}

function notFound(c: Context): Response {
  return answer(c, 404, "not_found");
}

function answer(c: Context, status: 401 | 404, error: string): Response {
  c.set(REFUSAL, error); // For the counters.
  return c.json(
    { ...envelopeOf(error, NO_OAUTH), error_description: NO_OAUTH },
    status,
  );
}
