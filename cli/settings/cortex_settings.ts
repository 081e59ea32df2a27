/**
 * What the settings of memory come to, and what is wrong with them together.
 * Loads all of cortex, so it is imported when memory is first used, or when
 * something of it is configured.
 *
 * @module
 */
import { type Actor, parseActor, parseNode } from "../../cortex/layout/mod.ts";
import {
  CortexConfigError,
  DEFAULT_CHAT_NODE,
  type Node,
  ScopeSyntaxError,
} from "../../cortex/words.ts";
import {
  type ClientOptions,
  type CortexClient,
  createDirectClient,
  createHostedClient,
} from "../../cortex/client/mod.ts";
import { type EngineConfig, readEngineSettings } from "../../cortex/mod.ts";
import {
  type Config,
  type CortexConfig,
  type Key,
  type KeyOf,
  TABLE,
} from "./config.ts";

/** What the local service is called by; nothing listens there. */
const LOCAL_ENDPOINT = "http://localhost";
/** The local service takes any credential. */
const LOCAL_CREDENTIAL = "noauth-local";
/** How long one try may take: a model waits for the answer. */
const TIMEOUT_MS = 20_000;

/** The settings by the names that cortex has for them. */
const CORTEX_NAMES: Readonly<Record<string, Key>> = {
  wire: "cortexWire",
  scopeRoot: "cortexScopeRoot",
  tenantRoot: "cortexTenantRoot",
  retiredScopeRoot: "cortexRetiredRoot",
  scopeOwner: "cortexScopeOwner",
  endpoint: "cortexUrl",
  apiKey: "cortexApiKey",
  actor: "cortexActor",
};

/** The settings that say where memory lies. */
export type LayoutConfig = Config<KeyOf<"layout">>;

/** All that is wrong with where memory lies, each a line. */
export function checkLayout(config: LayoutConfig): readonly string[] {
  const problems = ownerProblems(config);
  attempt("cortexScopeRoot", () => layoutOf(config), problems);
  return problems;
}

/** An owner of nothing would be a setting that does nothing. */
function ownerProblems(
  { cortexScopeOwner, cortexScopeRoot, cortexTenantRoot }: LayoutConfig,
): string[] {
  const isOwnerless = cortexScopeOwner === undefined ||
    cortexScopeRoot !== undefined || cortexTenantRoot === true;
  return isOwnerless ? [] : [
    "CORTEX_SCOPE_OWNER needs CORTEX_SCOPE_ROOT: without a root there is nothing to own",
  ];
}

/** All that is wrong with the settings of memory, each a line; no secret. */
export function checkCortex(config: CortexConfig): readonly string[] {
  const { cortexUrl, cortexApiKey, cortexActor, cortexWire } = config;
  const problems = ownerProblems(config);
  if (cortexUrl === undefined && cortexApiKey !== undefined) {
    problems.push("CORTEX_API_KEY needs CORTEX_URL: it opens nothing here");
  }
  if (cortexWire === "hosted") {
    if (cortexUrl === undefined) {
      problems.push("CORTEX_WIRE hosted needs CORTEX_URL");
    } else if (cortexApiKey === undefined) {
      problems.push("CORTEX_WIRE hosted needs CORTEX_API_KEY");
    }
    if (cortexActor !== undefined) {
      problems.push("CORTEX_ACTOR needs the direct wire: a backend sets it");
    }
  }
  const engine = attempt("cortexScopeRoot", () => layoutOf(config), problems);
  attempt("cortexActor", () => actorOf(config), problems);
  attempt("cortexUrl", () => clientOf(config, globalThis.fetch), problems);
  const chat = attempt("cortexChatNode", () => chatNodeOf(config), problems);
  if (engine === undefined || chat === undefined) return problems;
  const check = engine.layout.checkNode(chat, "conversation");
  return check.ok ? problems : [
    ...problems,
    `CORTEX_CHAT_NODE cannot hold conversations: ${check.reason}`,
  ];
}

/** Where memory lies, and whose it is. @throws {CortexConfigError} */
export function layoutOf(config: LayoutConfig): EngineConfig {
  return readEngineSettings({
    wire: config.cortexWire,
    scopeRoot: config.cortexScopeRoot,
    tenantRoot: config.cortexTenantRoot,
    retiredScopeRoot: config.cortexRetiredRoot,
    scopeOwner: config.cortexScopeOwner,
  });
}

/** The node of shared conversations. @throws {ScopeSyntaxError} */
export function chatNodeOf({ cortexChatNode }: CortexConfig): Node {
  return cortexChatNode === undefined
    ? DEFAULT_CHAT_NODE
    : parseNode(cortexChatNode);
}

/** What carries requests. Sends nothing. @throws {CortexConfigError} */
export function clientOf(
  config: CortexConfig,
  send: typeof fetch,
): CortexClient {
  const { cortexUrl, cortexApiKey } = config;
  const options: ClientOptions = {
    endpoint: cortexUrl ?? LOCAL_ENDPOINT,
    credential: cortexUrl === undefined ? LOCAL_CREDENTIAL : cortexApiKey,
    limits: { timeoutMs: TIMEOUT_MS },
    fetch: send,
  };
  return config.cortexWire === "hosted"
    ? createHostedClient(options)
    : createDirectClient({ ...options, actor: tryActor(config) });
}

function actorOf({ cortexActor }: CortexConfig): Actor | undefined {
  return cortexActor === undefined ? undefined : parseActor(cortexActor);
}

/** The actor, where the setting is one; `checkCortex` says where it is not. */
function tryActor(config: CortexConfig): Actor | undefined {
  return attempt("cortexActor", () => actorOf(config), []);
}

/** The value; undefined, and the problems noted, where there is none. */
function attempt<T>(
  key: Key,
  read: () => T,
  problems: string[],
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CortexConfigError) {
      problems.push(
        ...error.problems.map(({ setting, message }) =>
          `${variableOf(setting)}: ${inVariables(message)}`
        ),
      );
    } else if (error instanceof ScopeSyntaxError) {
      problems.push(`${TABLE[key].name}: ${error.message}`);
    } else throw error;
    return undefined;
  }
}

/** Cortex's names for the settings in a message, as the variables they are. */
function inVariables(message: string): string {
  return message.replace(/\b[a-z]+[A-Z][a-zA-Z]*\b/g, variableOf);
}

function variableOf(name: string): string {
  const key = CORTEX_NAMES[name];
  return key === undefined ? name : TABLE[key].name;
}
