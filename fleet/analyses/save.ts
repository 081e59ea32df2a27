/**
 * Saves what an analysis says of a session that is over.
 *
 * @module
 */
import {
  type Analysis,
  insertAnalysis,
} from "../../store/around_sessions/mod.ts";
import { findSession, type Session } from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { assertLength, badArgument } from "../sessions/texts.ts";
import { withSession } from "../sessions/with_session.ts";
import { readSegments } from "./segments.ts";

/** An analysis. */
export interface AnalysisRequest {
  /** The tree of segments. */
  readonly root: unknown;
  /** The session that made it; one that is not there is left out. */
  readonly analyzerSessionId?: number | undefined;
  /** Version of the tree's form. @default {"1"} */
  readonly schemaVersion?: string | undefined;
  /** Up to 1,000 characters. */
  readonly notes?: string | undefined;
}

/** An analysis that was saved. */
export interface SavedAnalysis {
  /** It. */
  readonly analysis: Analysis;
  /** The session that it is of. */
  readonly session: Session;
  /** The analysis that it takes the place of. */
  readonly superseded: number | undefined;
  /** Names in the tree that were left out. */
  readonly dropped: readonly string[];
  /** Whether the analyzer that was named is not there. */
  readonly isAnalyzerUnknown: boolean;
}

const MAX_NOTES = 1_000;
const MAX_VERSION = 20;
const SCHEMA_VERSION = "1";

/**
 * Saves it; the one before it stays, stamped as superseded.
 *
 * @throws {FleetRefusalError} The session is not over, or something in the tree
 * is wrong: all of it is named, and nothing is stored.
 */
export async function saveAnalysis(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  sessionId: number,
  request: AnalysisRequest,
): Promise<SavedAnalysis> {
  const notes = request.notes?.trim() ?? "";
  assertLength(notes, "notes", MAX_NOTES);
  const { schemaVersion = SCHEMA_VERSION } = request;
  assertLength(schemaVersion, "schema_version", MAX_VERSION);
  const tree = readSegments(request.root);
  if ("problems" in tree) {
    const more = tree.total - tree.problems.length;
    throw badArgument(
      `The tree has ${tree.total} problem(s): ${tree.problems.join("; ")}${
        more > 0 ? `; and ${more} more` : ""
      }. Nothing was stored`,
    );
  }
  const target = { id: sessionId, act: "saving an analysis of it" };
  return await withSession(fleet, caller, target, async (tx, session) => {
    if (session.status !== "archived") {
      throw new FleetRefusalError(
        "wrong_state",
        `Session ${session.id} is ${session.status}: only one that is over, archived, can be analyzed. Nothing was stored`,
      );
    }
    const named = request.analyzerSessionId;
    const analyzer = named === undefined
      ? undefined
      : await findSession(tx, named);
    const { model } = session.config;
    const { analysis, superseded } = await insertAnalysis(tx, {
      sessionId,
      analyzerSessionId: analyzer?.id ?? null,
      root: tree.root as unknown as Readonly<Record<string, unknown>>,
      rootOutcome: tree.root.outcome.kind,
      segments: tree.segments,
      failures: tree.failures,
      depth: tree.depth,
      notes: notes === "" ? null : notes,
      schemaVersion,
      agentRoot: session.agentRootKey,
      agentRuntime: session.agentRuntime,
      model: typeof model === "string" ? model : null,
    });
    return {
      analysis,
      session,
      superseded,
      dropped: tree.dropped,
      isAnalyzerUnknown: named !== undefined && analyzer === undefined,
    };
  });
}
