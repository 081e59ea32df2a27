/**
 * `get_costs`: what inference cost. Two forms: that of a fleet, and the narrower
 * one of a session, which reaches its own spend and no other.
 *
 * @module
 */
import {
  type CostQuery,
  DEFAULT_COST_DAYS,
  MAX_COST_DAYS,
  readCosts,
} from "../../../fleet/mod.ts";
import type { ValueOf } from "../../schema.ts";
import { inputOf } from "../../schema.ts";
import type { Services, ToolContext } from "../../services.ts";
import { pricesOf } from "../../prices.ts";
import { ToolError } from "../../errors.ts";
import { defineTool, Written } from "../tool.ts";
import { COSTS, costsShape } from "./costs_shape.ts";
import { costsText } from "./costs_text.ts";

const WINDOW_INPUT = {
  days: {
    type: "integer",
    minimum: 1,
    maximum: MAX_COST_DAYS,
    description:
      `The last so many days, today among them; ${DEFAULT_COST_DAYS} by default. Not looked at beside from or to`,
  },
  from: { type: "string", description: "First day in UTC, 2026-08-01" },
  to: { type: "string", description: "Last day in UTC, 2026-08-31" },
} as const;
const SESSION_INPUT = {
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
} as const;

/** Schemas of the fleet's form. */
export const COSTS_INPUT = {
  ...WINDOW_INPUT,
  agent_root: { type: "string", description: "Only sessions of this root" },
  session_id: { ...SESSION_INPUT, description: "Only this session" },
} as const;

const FACTS = {
  name: "get_costs",
  access: "read",
  isDestructive: false,
  isIdempotent: true,
  output: COSTS,
} as const;

/** The tool. */
export const getCosts = defineTool({
  ...FACTS,
  title: "Get costs",
  description:
    `Shows what inference cost, by kind of token, root, model, thread, day and session, for the whole fleet or one root or session. Every request is counted once; prices are list prices from a dated table, so they compare models and are not what a subscription bills; a model without a price counts as 0 and is named. A window has ${MAX_COST_DAYS} days at most; from and to are swapped where they are reversed. The answer says how far the ledger reaches.`,
  input: inputOf(COSTS_INPUT),
  async run({ services }, args) {
    return await answer(services, {
      days: args.days,
      from: args.from,
      to: args.to,
      agentRoot: args.agent_root,
      sessionId: args.session_id,
    });
  },
});

/** The narrower form, for the group `self_session`. */
export const getOwnCosts = defineTool({
  ...FACTS,
  title: "Get own costs",
  description:
    `Shows what this session's own inference cost, by kind of token, model, thread and day. Prices are list prices from a dated table. What the fleet cost is in the group health.`,
  input: inputOf({
    ...WINDOW_INPUT,
    session_id: {
      ...SESSION_INPUT,
      description: "This session; needed where the connection names none",
    },
  }),
  refused: {
    agent_root:
      '"agent_root" cannot be passed here: this form of get_costs shows the spend of one session. The group health has that of the fleet, and so has the page Costs',
  },
  async run({ services, connection }, args) {
    return await answer(services, {
      days: args.days,
      from: args.from,
      to: args.to,
      sessionId: ownSession(connection, args.session_id),
    });
  },
});

function ownSession(
  { sessionId }: ToolContext["connection"],
  named: number | undefined,
): number {
  if (sessionId === null) {
    if (named !== undefined) return named;
    throw new ToolError(
      "This connection names no session, so there is nothing of its own to show: pass session_id, or add session_id=<id> to the MCP URL",
    );
  }
  if (named === undefined || named === sessionId) return sessionId;
  throw new ToolError(
    `This connection is session ${sessionId}, and shows the spend of no other; the group health shows that of session ${named}`,
  );
}

async function answer(
  services: Services,
  query: CostQuery,
): Promise<Written<ValueOf<typeof COSTS>>> {
  const { table, problem } = await pricesOf(services);
  const costs = await readCosts(services, query, table);
  const notes = [...costs.notes, ...(problem === undefined ? [] : [problem])];
  return new Written(costsText(costs, notes), costsShape(costs, notes));
}
