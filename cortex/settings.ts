/**
 * From settings to a layout. Every rule about settings is checked here, once,
 * when the engine is built, and all that is wrong is said at once.
 *
 * @module
 */

import {
  type ConfigProblem,
  CortexConfigError,
  quote,
  ScopeSyntaxError,
} from "./errors.ts";
import { Layout } from "./layout/layouts.ts";
import { bodyStart, storedForms } from "./layout/roots.ts";
import { type Wire, WIRES } from "./words.ts";
import {
  type Actor,
  parseActor,
  parseRootPath,
  type RootPath,
  TENANT_ROOT,
} from "./layout/scope.ts";

/** The longest body: eight node segments and two of the layout's own. */
const MAX_BODY_SEGMENTS = 10;

/** The most segments of a path, before a hosted backend adds the tenant's. */
const MAX_PATH_SEGMENTS: Readonly<Record<Wire, number>> = {
  direct: 32,
  hosted: 31,
};

/**
 * What a host sets. Leave a setting out, or undefined, when the host did not
 * set it: an empty text is a value, and a wrong one.
 */
export interface EngineSettings {
  /**
   * `direct` or `hosted`.
   *
   * @default {"direct"}
   */
  readonly wire?: string | undefined;
  /** Everything lies below this root: the v3 layout. */
  readonly scopeRoot?: string | undefined;
  /** Everything lies below the tenant that the backend adds: v3, hosted only. */
  readonly tenantRoot?: boolean | undefined;
  /** A root that is still read and forgotten, and no longer written. */
  readonly retiredScopeRoot?: string | undefined;
  /** The actor that the root is registered to; only with a direct `scopeRoot`. */
  readonly scopeOwner?: string | undefined;
}

/** What the settings come to. */
export interface EngineConfig {
  /** Where items lie. */
  readonly layout: Layout;
  /** Whom to register the root to, if anyone. */
  readonly owner: Actor | undefined;
}

/**
 * Reads an engine's settings.
 *
 * @throws {CortexConfigError} with every setting that is wrong
 */
export function readEngineSettings(settings: EngineSettings): EngineConfig {
  const problems: ConfigProblem[] = [];
  const report = (setting: keyof EngineSettings, message: string): void => {
    problems.push({ setting, message });
  };
  const wire = readWire(settings, report);
  const root = readRoot(settings, wire, report);
  const retired = readRetired(settings, { wire, root }, report);
  const owner = readOwner(settings, wire, report);
  if (problems.length > 0) throw new CortexConfigError(problems);
  return { layout: new Layout({ wire, root, retired }), owner };
}

type Report = (setting: keyof EngineSettings, message: string) => void;

function readWire({ wire = "direct" }: EngineSettings, report: Report): Wire {
  const known = WIRES.find((one) => one === wire);
  if (known !== undefined) return known;
  report("wire", `${quote(wire)} is neither "direct" nor "hosted"`);
  return "direct";
}

function readRoot(
  settings: EngineSettings,
  wire: Wire,
  report: Report,
): RootPath | undefined {
  const { scopeRoot, tenantRoot = false } = settings;
  if (tenantRoot && wire === "direct") {
    report(
      "tenantRoot",
      "needs the hosted wire: nothing pins it on the direct",
    );
  }
  if (tenantRoot && scopeRoot !== undefined) {
    report("tenantRoot", "excludes scopeRoot: one engine has one root");
  }
  if (scopeRoot === undefined) return tenantRoot ? TENANT_ROOT : undefined;
  const root = readPart("scopeRoot", () => parseRootPath(scopeRoot), report);
  const most = MAX_PATH_SEGMENTS[wire] - MAX_BODY_SEGMENTS;
  const segments = root?.split("/").length ?? 0;
  if (segments > most) {
    report("scopeRoot", `has ${segments} segments, the most is ${most}`);
  }
  return root;
}

/**
 * A retired root that stands where this engine's own paths begin is refused:
 * they would all read as the retired root's, which is tried first.
 */
function readRetired(
  settings: EngineSettings,
  { wire, root }: { wire: Wire; root: RootPath | undefined },
  report: Report,
): RootPath | undefined {
  const { retiredScopeRoot, scopeRoot, tenantRoot = false } = settings;
  if (retiredScopeRoot === undefined) return undefined;
  if (scopeRoot === undefined && !tenantRoot) {
    report("retiredScopeRoot", "needs scopeRoot or tenantRoot");
  }
  const retired = readPart(
    "retiredScopeRoot",
    () => parseRootPath(retiredScopeRoot),
    report,
  );
  if (retired === undefined || root === undefined) return retired;
  const hides = storedForms(root, wire, retired)
    .some((path) => bodyStart(path, retired, wire) >= 0);
  if (retired === root) report("retiredScopeRoot", "is the root itself");
  else if (hides) {
    report("retiredScopeRoot", "hides the root: it is tried first and matches");
  }
  return retired;
}

function readOwner(
  { scopeOwner, scopeRoot }: EngineSettings,
  wire: Wire,
  report: Report,
): Actor | undefined {
  if (scopeOwner === undefined) return undefined;
  const owner = readPart("scopeOwner", () => parseActor(scopeOwner), report);
  return wire === "direct" && scopeRoot !== undefined ? owner : undefined;
}

function readPart<T>(
  setting: keyof EngineSettings,
  read: () => T,
  report: Report,
): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ScopeSyntaxError)) throw error;
    report(setting, error.message);
    return undefined;
  }
}
