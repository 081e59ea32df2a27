/**
 * From the settings to the memory engine. Loads all of cortex, so it is
 * imported when memory is first used, or when something of it is configured.
 *
 * @module
 */
import { type Actor, parseActor, parseNode } from "../../cortex/layout/mod.ts";
import {
  type ClientOptions,
  type CortexClient,
  createDirectClient,
  createHostedClient,
} from "../../cortex/client/mod.ts";
import {
  CortexConfigError,
  DEFAULT_CHAT_NODE,
  type Node,
  ScopeSyntaxError,
} from "../../cortex/words.ts";
import {
  createEngine,
  type Engine,
  type EngineConfig,
  type EngineEvent,
  type EngineSettings,
  readEngineSettings,
} from "../../cortex/mod.ts";
import type { Log, Services } from "../../mcp/mod.ts";
import type { CortexConfig } from "../settings/cortex_config.ts";
import { openLocalCortex } from "./local_cortex.ts";

/** What the local service is called by; nothing listens there. */
const LOCAL_ENDPOINT = "http://localhost";
/** The local service takes any credential. */
const LOCAL_CREDENTIAL = "noauth-local";
/** How long one try may take: a model waits for the answer. */
const TIMEOUT_MS = 20_000;

/** Variables by the names that cortex has for them. */
const VARIABLES: Readonly<Record<string, string>> = {
  wire: "CORTEX_WIRE",
  endpoint: "CORTEX_URL",
  apiKey: "CORTEX_API_KEY",
  actor: "CORTEX_ACTOR",
  scopeRoot: "CORTEX_SCOPE_ROOT",
  tenantRoot: "CORTEX_TENANT_ROOT",
  retiredScopeRoot: "CORTEX_RETIRED_ROOT",
  scopeOwner: "CORTEX_SCOPE_OWNER",
};

/** Everything that is wrong with the settings, each a line; never a secret. */
export function checkCortex(cortex: CortexConfig): readonly string[] {
  const { url, apiKey, actor, wire } = cortex;
  const problems: string[] = [];
  if (url === undefined && apiKey !== undefined) {
    problems.push("CORTEX_API_KEY needs CORTEX_URL: it opens nothing here");
  }
  if (wire === "hosted") {
    if (url === undefined) problems.push("CORTEX_WIRE hosted needs CORTEX_URL");
    else if (apiKey === undefined) {
      problems.push("CORTEX_WIRE hosted needs CORTEX_API_KEY");
    }
    if (actor !== undefined) {
      problems.push("CORTEX_ACTOR needs the direct wire: a backend sets it");
    }
  }
  const config = attempt("", () => readConfig(cortex), problems);
  attempt("CORTEX_ACTOR", () => readActor(cortex), problems);
  attempt("", () => createClient(cortex, globalThis.fetch), problems);
  const chat = attempt("CORTEX_CHAT_NODE", () => readChat(cortex), problems);
  if (config === undefined || chat === undefined) return problems;
  const check = config.layout.checkNode(chat, "conversation");
  return check.ok ? problems : [
    ...problems,
    `CORTEX_CHAT_NODE cannot hold conversations: ${check.reason}`,
  ];
}

/** Builds the engine. Sends nothing. @throws {CortexConfigError} */
export function buildEngine(
  cortex: CortexConfig,
  services: Pick<Services, "store" | "log">,
): Engine {
  const { layout, owner } = readConfig(cortex);
  const send = cortex.url === undefined ? localFetch(services) : fetch;
  return createEngine({
    client: createClient(cortex, send),
    layout,
    owner,
    chatNode: readChat(cortex),
    // So the local service answers; of another one it is not known.
    isVisibleAtOnce: cortex.url === undefined,
    report: (event) => logEvent(services.log, event),
  });
}

/** The local CortexDB, called without a port. */
function localFetch(
  services: Pick<Services, "store" | "log">,
): typeof fetch {
  const local = openLocalCortex(services);
  return (input, init) => local.fetch(new Request(input, init));
}

function createClient(
  cortex: CortexConfig,
  send: typeof fetch,
): CortexClient {
  const { url, apiKey, wire } = cortex;
  const credential = url === undefined ? LOCAL_CREDENTIAL : apiKey;
  const options: ClientOptions = {
    endpoint: url ?? LOCAL_ENDPOINT,
    credential,
    limits: { timeoutMs: TIMEOUT_MS },
    fetch: send,
  };
  return wire === "hosted"
    ? createHostedClient(options)
    : createDirectClient({ ...options, actor: tryActor(cortex) });
}

function readConfig(cortex: CortexConfig): EngineConfig {
  const settings: EngineSettings = {
    wire: cortex.wire,
    scopeRoot: cortex.scopeRoot,
    tenantRoot: cortex.isTenantRoot,
    retiredScopeRoot: cortex.retiredRoot,
    scopeOwner: cortex.scopeOwner,
  };
  return readEngineSettings(settings);
}

function readActor({ actor }: CortexConfig): Actor | undefined {
  return actor === undefined ? undefined : parseActor(actor);
}

/** The actor, where the setting is one; `checkCortex` says where it is not. */
function tryActor(cortex: CortexConfig): Actor | undefined {
  return attempt("", () => readActor(cortex), []);
}

function readChat({ chatNode }: CortexConfig): Node {
  return chatNode === undefined ? DEFAULT_CHAT_NODE : parseNode(chatNode);
}

/** The value; undefined, and the problems noted, where there is none. */
function attempt<T>(
  variable: string,
  read: () => T,
  problems: string[],
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CortexConfigError) {
      problems.push(
        ...error.problems.map(({ setting, message }) =>
          `${VARIABLES[setting] ?? setting}: ${inVariables(message)}`
        ),
      );
    } else if (error instanceof ScopeSyntaxError) {
      problems.push(`${variable}: ${error.message}`);
    } else throw error;
    return undefined;
  }
}

/** Cortex's names for the settings in a message, as the variables they are. */
function inVariables(message: string): string {
  return message.replace(
    /\b[a-z]+[A-Z][a-zA-Z]*\b/g,
    (name) => VARIABLES[name] ?? name,
  );
}

function logEvent(log: Log, { kind, ...fields }: EngineEvent): void {
  if (kind === "ownership_held") log.info("cortex_ownership_held", fields);
  else log.warn(`cortex_${kind}`, fields);
}
