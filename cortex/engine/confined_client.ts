/**
 * The last look at a request before it is sent: every path must lie below a
 * root of this engine. CortexDB's own confinement is not relied on.
 *
 * @module
 */

import type { CortexClient } from "../client_types.ts";
import { CortexRefusalError, quote } from "../errors.ts";
import type { Layout } from "../layouts.ts";
import { isAtOrBelow } from "../node.ts";
import { TENANT_ROOT } from "../scope.ts";

/** The same client, refusing whatever lies outside the layout's roots. */
export function confineClient(
  client: CortexClient,
  layout: Layout,
): CortexClient {
  const roots = [layout.root, layout.retired].filter((one) =>
    one !== undefined
  );
  const check = (path: string): void => {
    const isOurs = roots.some((root) =>
      root === TENANT_ROOT || isAtOrBelow(path, root)
    );
    if (isOurs) return;
    throw new CortexRefusalError(
      `Not sent: ${quote(path)} lies outside this engine's root`,
      { reason: "refused" },
    );
  };
  // An async function, so that a refusal is a rejection like any other.
  return {
    ...bind(client),
    async append(draft, options) {
      check(draft.scope);
      return await client.append(draft, options);
    },
    async appendAll(drafts, options) {
      for (const { scope } of drafts) check(scope);
      return await client.appendAll(drafts, options);
    },
    async listEvents(query, options) {
      check(query.scope);
      return await client.listEvents(query, options);
    },
    async recall(query, options) {
      check(query.scope);
      return await client.recall(query, options);
    },
    async answer(query, options) {
      check(query.scope);
      return await client.answer(query, options);
    },
    async forget(request, options) {
      check(request.scope);
      return await client.forget(request, options);
    },
    async erase(request, options) {
      check(request.scope);
      return await client.erase(request, options);
    },
    async listScopes(query, options) {
      check(query.prefix);
      return await client.listScopes(query, options);
    },
    async registerScope(request, options) {
      check(request.path);
      await client.registerScope(request, options);
    },
    async readMembers(path, options) {
      check(path);
      return await client.readMembers(path, options);
    },
    async replaceMembers(request, options) {
      check(request.path);
      await client.replaceMembers(request, options);
    },
  };
}

/** The calls that name no path. */
function bind(client: CortexClient) {
  return {
    wire: client.wire,
    readEvent: client.readEvent.bind(client),
    readErasure: client.readErasure.bind(client),
    eraseTenant: client.eraseTenant.bind(client),
    whoami: client.whoami.bind(client),
    health: client.health.bind(client),
    version: client.version.bind(client),
  };
}
