/**
 * What carrying out a turn takes.
 *
 * @module
 */
import type { LeasedTurn, TurnDurations } from "../../fleet/turns/protocol.ts";
import type { Runtime } from "../agents/agent.ts";
import type { Folders } from "../folders.ts";
import type { Ceilings } from "../process/limits.ts";
import type { ServerClient } from "../server/client.ts";
import type { PreparedTree } from "../trees/tree.ts";
import type { Clocks } from "./fence.ts";

/** Told what a runner does; fields hold no secret. */
export type Report = (
  event: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** One object a runner. */
export interface TurnDeps {
  /** The server. */
  readonly client: ServerClient;
  /** Its address, for the agents' entries. */
  readonly server: string;
  /** What it told to be the durations. */
  readonly durations: TurnDurations;
  /** Agents by name. */
  readonly runtimes: ReadonlyMap<string, Runtime>;
  /** Where things lie. */
  readonly folders: Folders;
  /** Makes a tree ready. @throws {TreeError} */
  readonly prepareTree: (turn: LeasedTurn) => Promise<PreparedTree>;
  /** The runner's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Names that agents get beyond the list. */
  readonly addedNames: readonly string[];
  /** Whether catalogs of addresses may make it execute things. */
  readonly trustsCatalogs: boolean;
  /** What a turn may take. */
  readonly ceilings: Ceilings;
  /** Clocks. */
  readonly clocks: Clocks;
  /** Told what happens. */
  readonly report: Report;
}
