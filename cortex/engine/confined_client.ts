/**
 * The last look at a request before it is sent: every path must lie below a
 * root of this engine. CortexDB's own confinement is not relied on.
 *
 * @module
 */

import type { CortexClient } from "../client/client_types.ts";
import { CortexRefusalError, quote } from "../errors.ts";
import type { Layout } from "../layout/layouts.ts";
import { isAtOrBelow } from "../layout/node.ts";
import { TENANT_ROOT } from "../layout/scope.ts";

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
  const guard = <R, O, T>(
    pathsOf: (request: R) => readonly string[],
    send: (request: R, options?: O) => Promise<T>,
  ) =>
  async (request: R, options?: O): Promise<T> => {
    pathsOf(request).forEach(check);
    return await send.call(client, request, options);
  };
  const scopeOf = ({ scope }: { readonly scope: string }) => [scope];
  const pathOf = ({ path }: { readonly path: string }) => [path];
  return {
    ...bind(client),
    append: guard(scopeOf, client.append),
    appendAll: guard((drafts) => drafts.flatMap(scopeOf), client.appendAll),
    listEvents: guard(scopeOf, client.listEvents),
    recall: guard(scopeOf, client.recall),
    recallAcross: guard(({ scopes }) => scopes, client.recallAcross),
    answer: guard(scopeOf, client.answer),
    forget: guard(scopeOf, client.forget),
    erase: guard(scopeOf, client.erase),
    listScopes: guard(({ prefix }) => [prefix], client.listScopes),
    registerScope: guard(pathOf, client.registerScope),
    readMembers: guard((path) => [path], client.readMembers),
    replaceMembers: guard(pathOf, client.replaceMembers),
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
  };
}
