/**
 * Routes of the fleet: what its tools do, for scripts and pages of one's own.
 *
 * @module
 */
import { findFor, readConfigs } from "../../../fleet/mod.ts";
import { findAnalysis } from "../../../store/around_sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { CONFIGS, configsShape } from "../../configs_shape.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  FREE,
  inputOf,
  NO_INPUT,
  objectOf,
  orNull,
  TEXT,
  TIME,
} from "../../schema.ts";
import { actionNotification } from "../../tools/notifications/action_notification.ts";
import { getNotifications } from "../../tools/notifications/get_notifications.ts";
import { sendPushNotification } from "../../tools/notifications/send_push_notification.ts";
import { actionSession } from "../../tools/sessions/action_session.ts";
import { getSession } from "../../tools/sessions/get_session.ts";
import { getSessionProvenance } from "../../tools/sessions/get_session_provenance.ts";
import { manageCategories } from "../../tools/sessions/manage_categories.ts";
import { manageEnqueuedMessages } from "../../tools/sessions/manage_enqueued_messages.ts";
import { quickSearchSessions } from "../../tools/sessions/quick_search_sessions.ts";
import { saveOutcomeAnalysis } from "../../tools/sessions/save_outcome_analysis.ts";
import { startSessionTool } from "../../tools/sessions/start_session.ts";
import { wakeMeUpLater } from "../../tools/triggers/wake_me_up_later.ts";
import { wakeMeUpWhenSessionChangesState } from "../../tools/triggers/wake_me_up_when_session_changes_state.ts";
import { defineRoute, type RestRoute } from "../route.ts";
import { routeOfTool } from "./tool_route.ts";

/** The routes. */
export const FLEET_ROUTES: readonly RestRoute[] = [
  routeOfTool(quickSearchSessions, {
    method: "GET",
    path: "/search/sessions",
    operationId: "search_sessions",
    summary: "Finds sessions, as quick_search_sessions does",
  }),
  routeOfTool(startSessionTool, {
    method: "POST",
    path: "/agent_sessions",
    operationId: "start_agent_session",
    summary:
      "Starts a session that a runner carries out, as the tool start_session does; safe to repeat with idempotency_key",
    status: 201,
  }),
  routeOfTool(getSession, {
    method: "GET",
    path: "/sessions/{id}/details",
    operationId: "get_session_details",
    summary:
      "One session with its queue, family, wakes and what people said, as the tool get_session shows it",
  }),
  routeOfTool(getSessionProvenance, {
    method: "GET",
    path: "/sessions/{session_id}/provenance",
    operationId: "get_session_provenance",
    summary: "Where a session comes from, and what people said in its family",
  }),
  routeOfTool(actionSession, {
    method: "POST",
    path: "/sessions/{session_id}/actions",
    operationId: "action_session",
    summary:
      "Steers or changes a session: every action of the tool action_session",
  }),
  routeOfTool(actionSession, {
    method: "POST",
    path: "/session_actions",
    operationId: "action_sessions",
    summary: "The actions on several sessions: refresh_all, bulk_archive",
  }),
  routeOfTool(manageEnqueuedMessages, {
    method: "GET",
    path: "/sessions/{session_id}/messages",
    operationId: "list_messages",
    summary: "The queue of a session",
    fixed: { action: "list" },
  }),
  routeOfTool(manageEnqueuedMessages, {
    method: "POST",
    path: "/sessions/{session_id}/messages",
    operationId: "manage_messages",
    summary:
      "Changes the queue of a session: every action of the tool manage_enqueued_messages",
  }),
  routeOfTool(wakeMeUpLater, {
    method: "POST",
    path: "/sessions/{session_id}/wakes",
    operationId: "wake_later",
    summary: "Lets a session sleep until a time",
    status: 201,
  }),
  routeOfTool(wakeMeUpWhenSessionChangesState, {
    method: "POST",
    path: "/sessions/{session_id}/watches",
    operationId: "wake_on_session",
    summary: "Lets a session sleep until another one changes its state",
    status: 201,
  }),
  routeOfTool(saveOutcomeAnalysis, {
    method: "POST",
    path: "/sessions/{session_id}/outcome_analysis",
    operationId: "save_outcome_analysis",
    summary: "Saves an analysis of an archived session",
    status: 201,
  }),
  defineRoute({
    method: "GET",
    path: "/sessions/{session_id}/outcome_analysis",
    operationId: "get_outcome_analysis",
    summary: "The current analysis of a session, with its tree",
    input: inputOf({
      session_id: { type: "string", description: "The session's id or slug" },
    }, ["session_id"]),
    output: objectOf({
      analysis_id: COUNT,
      session_id: COUNT,
      analyzer_session_id: orNull(COUNT),
      root_outcome: TEXT,
      segments: COUNT,
      failed_segments: COUNT,
      depth: COUNT,
      notes: orNull(TEXT),
      schema_version: orNull(TEXT),
      analyzed_at: TIME,
      root: FREE,
    }),
    async run({ services, connection }, { session_id: name }) {
      const { id } = await findFor(
        fleetOf(services),
        fleetCallerOf(connection),
        { name, act: "reading its analysis" },
      );
      const found = await findAnalysis(await services.store.db(), id);
      if (found === undefined) {
        throw new ToolError(`Session ${id} has no analysis`, {
          reason: "not_found",
        });
      }
      const { analysis, root } = found;
      return {
        analysis_id: analysis.id,
        session_id: analysis.sessionId,
        analyzer_session_id: analysis.analyzerSessionId,
        root_outcome: analysis.rootOutcome,
        segments: analysis.segments,
        failed_segments: analysis.failures,
        depth: analysis.depth,
        notes: analysis.notes,
        schema_version: analysis.schemaVersion,
        analyzed_at: isoTime(analysis.analyzedAt),
        root,
      };
    },
  }),
  routeOfTool(manageCategories, {
    method: "GET",
    path: "/categories",
    operationId: "list_categories",
    summary: "Categories of the board, with their places",
    fixed: { action: "list" },
  }),
  routeOfTool(manageCategories, {
    method: "POST",
    path: "/categories",
    operationId: "manage_categories",
    summary: "Changes categories: every action of the tool manage_categories",
  }),
  routeOfTool(getNotifications, {
    method: "GET",
    path: "/notifications",
    operationId: "get_notifications",
    summary: "Notices for people",
  }),
  routeOfTool(sendPushNotification, {
    method: "POST",
    path: "/notifications",
    operationId: "send_push_notification",
    summary: "Tells people something about a session",
    status: 201,
  }),
  routeOfTool(actionNotification, {
    method: "POST",
    path: "/notifications/actions",
    operationId: "action_notification",
    summary: "Reads and dismisses notices",
  }),
  defineRoute({
    method: "GET",
    path: "/configs",
    operationId: "get_configs",
    summary: "What a session can be given, whole",
    input: NO_INPUT,
    output: CONFIGS,
    run: async ({ services, connection }) =>
      configsShape(
        await readConfigs(fleetOf(services), fleetCallerOf(connection)),
      ),
  }),
];
