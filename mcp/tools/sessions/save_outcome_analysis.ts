/**
 * `save_outcome_analysis`: what an analysis says of a session that is over.
 *
 * @module
 */
import { saveAnalysis } from "../../../fleet/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import { receipt } from "../../markdown/document.ts";
import { code, md } from "../../markdown/inline.ts";
import { COUNT, FLAG, inputOf, objectOf, orNull, TEXT } from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import { findTarget } from "./receipt.ts";
import { SESSION_NAME_INPUT } from "./session_input.ts";

/** The tool. */
export const saveOutcomeAnalysis = defineTool({
  name: "save_outcome_analysis",
  title: "Save an outcome analysis",
  access: "write",
  description:
    'Saves an analysis of an archived session\'s transcript; a second one takes the place of the first, which is kept. root is a segment: {id: "S0" by its place, its children "S0.0", "S0.1"…; trigger: {kind: New|Correction, source: user|agent|subagent}; goal: {text: 1 to 500 characters, kind: Plan|Action}; outcome: {kind: Success|Failure, explanation: 1 to 140 characters, always}; meta: {event_range, wall_clock_s, tokens_in, tokens_out, model} or null; children: [segments]}. A first child corrects nothing. At most 32 levels and 5,000 segments; one of more than 29 levels is passed as JSON text. Everything wrong is listed, and nothing is stored then.',
  isDestructive: false,
  isIdempotent: false,
  input: inputOf({
    session_id: SESSION_NAME_INPUT,
    root: { type: "object", description: "The tree of segments" },
    analyzer_session_id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The session that made it: your own id",
    },
    schema_version: {
      type: "string",
      description: "Version of the tree's form; 1 by default",
    },
    notes: { type: "string", description: "Up to 1,000 characters" },
  }, ["session_id", "root"]),
  output: objectOf({
    analysis_id: COUNT,
    session_id: COUNT,
    analyzer_session_id: orNull(COUNT),
    root_outcome: TEXT,
    segments: COUNT,
    failed_segments: COUNT,
    depth: COUNT,
    is_superseding: FLAG,
    path: TEXT,
  }),
  async run({ connection, services }, args) {
    const { id } = await findTarget(services, args.session_id);
    const saved = await saveAnalysis(
      fleetOf(services),
      fleetCallerOf(connection),
      id,
      {
        root: args.root,
        analyzerSessionId: args.analyzer_session_id,
        schemaVersion: args.schema_version,
        notes: args.notes,
      },
    );
    const { analysis, session, superseded, dropped } = saved;
    const path = `/api/v1/sessions/${session.id}/outcome_analysis`;
    return new Written(
      receipt(md`Outcome Analysis Saved`, [
        ["Analysis ID", analysis.id],
        ["Session ID", session.id],
        ["Title", session.title],
        ["Root Outcome", analysis.rootOutcome],
        ["Segments", `${analysis.segments}, ${analysis.failures} failed`],
        ["Depth", analysis.depth],
        [
          "Analyzer Session",
          saved.isAnalyzerUnknown
            ? "left out: there is no such session"
            : analysis.analyzerSessionId ?? "none named",
        ],
        [
          "Takes the place of",
          superseded === undefined ? undefined : `analysis ${superseded}`,
        ],
        [
          "Left out of the tree",
          dropped.length === 0 ? undefined : dropped.join(", "),
        ],
        ["Read it at", code(`GET ${path}`)],
      ]).text,
      {
        analysis_id: analysis.id,
        session_id: session.id,
        analyzer_session_id: analysis.analyzerSessionId,
        root_outcome: analysis.rootOutcome,
        segments: analysis.segments,
        failed_segments: analysis.failures,
        depth: analysis.depth,
        is_superseding: superseded !== undefined,
        path,
      },
    );
  },
});
