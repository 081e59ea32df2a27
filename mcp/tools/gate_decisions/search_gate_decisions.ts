/**
 * `search_gate_decisions`: the ledger by question, newest first.
 *
 * @module
 */
import { searchDecisions } from "../../../fleet/mod.ts";
import {
  countLedger,
  type DecisionPage,
  feedbackOn,
  readPayloads,
} from "../../../store/gate/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import { inputOf } from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import { decisionQueryOf, SEARCH_INPUT } from "./inputs.ts";
import { DECISION_PAGE, type FoundDecision, pageShape } from "./search_page.ts";
import { pageText } from "./search_text.ts";

/** Bytes of entries that are read for a page. */
const MAX_PAYLOAD_BYTES = 200_000;

/** The tool. */
export const searchGateDecisions = defineTool({
  name: "search_gate_decisions",
  title: "Search gate decisions",
  access: "read",
  description:
    'Finds decisions of the gates, newest first. Before you rate anything, see how the gate rated this surface: {"gate": "pr_merge", "surface": "web", "limit": 10}, or {"gate": "issue_work", "surface": "web", "decision": "hold"}. with_human_feedback: true finds what people corrected: read all of these. artifact_url is exact, artifact_query a part of the address, query a part of the whole entry; texts of one or two characters are looked for a stretch at a time, and the answer says how far it came. The ledger only grows, so one artifact may have several decisions, and the newest holds. include_payload adds whole entries: use it with a small limit.',
  isDestructive: false,
  isIdempotent: true,
  input: inputOf({
    ...SEARCH_INPUT,
    include_payload: {
      type: "boolean",
      description: "true: each decision with its whole entry",
    },
  }),
  output: DECISION_PAGE,
  async run({ services, signal }, args) {
    const page = await searchDecisions(services, decisionQueryOf(args, signal));
    const db = await services.store.db();
    const found = await completed(db, page, args.include_payload === true);
    const ledger = found.length === 0 ? await countLedger(db) : undefined;
    const offset = args.cursor === undefined ? args.offset ?? 0 : undefined;
    return new Written(
      pageText(page, found, { asked: args, offset, ledger }),
      pageShape(page, found, offset),
    );
  },
});

/** The decisions with what was said of them, and with entries that fit. */
async function completed(
  db: Db,
  { decisions }: DecisionPage,
  withPayloads: boolean,
): Promise<FoundDecision[]> {
  let bytes = 0;
  const fitting = decisions.filter(({ payloadBytes }) =>
    (bytes += payloadBytes) <= MAX_PAYLOAD_BYTES
  );
  const [said, payloads] = await Promise.all([
    feedbackOn(db, decisions.map(({ id }) => id)),
    readPayloads(db, withPayloads ? fitting.map(({ id }) => id) : []),
  ]);
  return decisions.map((decision) => ({
    decision,
    feedback: said.filter(({ decisionId }) => decisionId === decision.id),
    payload: payloads.get(decision.id),
    isPayloadCut: withPayloads && !payloads.has(decision.id),
  }));
}
