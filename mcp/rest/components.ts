/**
 * Schemas of answers that the OpenAPI document gives a name.
 *
 * @module
 */
import { listOf, objectOf, type Schema, TEXT } from "../schema.ts";
import { SESSION } from "../session_shape.ts";
import { RECORD } from "../tools/root_data/shapes.ts";
import {
  CATALOG_HEALTH,
  HEALTH,
  MEMORY_HEALTH,
  ROOT_DATA_HEALTH,
} from "../watch/health_shape.ts";
import { DECISION_PAGE } from "../tools/gate_decisions/search_page.ts";
import { DECISION, FEEDBACK } from "../tools/gate_decisions/shapes.ts";
import { CONFIGS } from "../configs_shape.ts";
import { TRIGGER } from "../tools/triggers/trigger_shape.ts";
import { COSTS } from "../tools/health/costs_shape.ts";
import { ITEM_PAGE } from "../tools/work_backlog/item_page.ts";
import { ITEM } from "../tools/work_backlog/shapes.ts";
import { ELICITATION } from "./fleet/elicitation_routes.ts";
import { WHOLE_DECISION } from "./gate_routes.ts";
import { PAGINATION } from "./paging.ts";
import { COLLECTION, NAMESPACE, RECORD_PAGE } from "./root_data_routes.ts";
import { CONNECTION_ENTRY } from "./session_routes.ts";
import { AGENT_ROOT } from "./system_routes.ts";

/** What every refused request is answered with. */
export const ERROR = {
  ...objectOf({
    error: { ...TEXT, description: "Label for programs" },
    message: { ...TEXT, description: "All messages in one text" },
    messages: listOf(TEXT),
  }),
  description: "What every refused request is answered with",
};

/** The components, by name. */
export const COMPONENTS: Readonly<Record<string, Schema>> = {
  Error: ERROR,
  Pagination: PAGINATION,
  CatalogHealth: CATALOG_HEALTH,
  RootDataHealth: ROOT_DATA_HEALTH,
  MemoryHealth: MEMORY_HEALTH,
  Health: HEALTH,
  AgentRoot: AGENT_ROOT,
  Session: SESSION,
  ConnectionEntry: CONNECTION_ENTRY,
  Configs: CONFIGS,
  Elicitation: ELICITATION,
  Namespace: NAMESPACE,
  Collection: COLLECTION,
  Record: RECORD,
  RecordPage: RECORD_PAGE,
  GateFeedback: FEEDBACK,
  GateDecision: DECISION,
  WholeGateDecision: WHOLE_DECISION,
  GateDecisionPage: DECISION_PAGE,
  BacklogItem: ITEM,
  BacklogPage: ITEM_PAGE,
  Trigger: TRIGGER,
  Costs: COSTS,
};
