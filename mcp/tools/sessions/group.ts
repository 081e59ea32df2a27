/**
 * Group `sessions`: finding, starting and steering them.
 *
 * @module
 */
import type { ToolGroup } from "../group.ts";
import { getConfigs } from "./get_configs.ts";
import { getSession } from "./get_session.ts";
import { getSessionProvenance } from "./get_session_provenance.ts";
import { quickSearchSessions } from "./quick_search_sessions.ts";
import { actionSession } from "./action_session.ts";
import { manageEnqueuedMessages } from "./manage_enqueued_messages.ts";
import { manageCategories } from "./manage_categories.ts";
import { respondToElicitation } from "./respond_to_elicitation.ts";
import { saveOutcomeAnalysis } from "./save_outcome_analysis.ts";
import { getTranscriptArchive } from "./get_transcript_archive.ts";
import { startSessionTool } from "./start_session.ts";

/** The group. */
export const sessionsGroup: ToolGroup = {
  name: "sessions",
  kind: "base",
  isSessionDefault: false,
  summary: "Sessions of agent roots: find, start and steer them",
  tools: [
    quickSearchSessions,
    getSession,
    getSessionProvenance,
    getConfigs,
    getTranscriptArchive,
    startSessionTool,
    actionSession,
    manageEnqueuedMessages,
    manageCategories,
    respondToElicitation,
    saveOutcomeAnalysis,
  ],
};
