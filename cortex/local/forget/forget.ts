/**
 * `POST /v1/forget`: deleting events of one scope, behind both interlocks.
 *
 * `redact_events` deletes the events whole and releases their keys.
 * `derived_only`, the default, clears derived layers, of which there are none
 * here: it deletes nothing.
 *
 * @module
 */
import type { WireCall } from "../call.ts";
import { invalid, notConfigured, WireError } from "../wire_error.ts";
import type { LogForgetRequest } from "../port.ts";
import {
  assertKnown,
  optionalRecord,
  optionalSwitch,
  optionalText,
  optionalTexts,
  optionalTime,
  requiredText,
} from "../fields.ts";
import { type JsonRecord, readJsonBody } from "../json_body.ts";
import { assertScopePath, MAX_PATH_CHARACTERS } from "../scope_path.ts";

/** Most ids that one call names. */
const MAX_FORGET_IDS = 1_000;
const FIELDS = [
  "scope",
  "layers",
  "selector",
  "cascade",
  "confirm_all",
  "audit_note",
];
/** Selectors of derived layers, and what the wire has for events. */
const DERIVED_SELECTORS = [
  "about_subject",
  "about_entity",
  "predicate",
  "valid_during",
];
const SELECTORS = ["memory_ids", "recorded_during", ...DERIVED_SELECTORS];
const CASCADES = ["derived_only", "redact_events"];

/** Forgets. */
export async function postForget(
  { request, actor, log }: WireCall,
): Promise<Response> {
  const body = await readJsonBody(request);
  assertKnown(body, FIELDS);
  const scope = assertScopePath(
    requiredText(body, "scope", MAX_PATH_CHARACTERS),
  );
  const cascade = readCascade(body);
  const layers = optionalTexts(body, "layers", { items: 5, length: 20 });
  const { ids, ...period } = readSelector(body);
  const forget: LogForgetRequest = {
    scope,
    ids,
    ...period,
    actor,
    note: optionalText(body, "audit_note", 2_000),
  };
  const reachesEvents = cascade === "redact_events" &&
    (layers.length === 0 || layers.includes("events"));
  const matched = reachesEvents
    ? await log.forget(forget)
    : await log.countForgettable(forget);
  return Response.json({
    deleted: { events: reachesEvents ? matched : 0 },
    requested: ids?.length ?? matched,
    matched,
  });
}

function readCascade(body: JsonRecord): string {
  const cascade = "cascade" in body ? body.cascade : "derived_only";
  const known = CASCADES.find((one) => one === cascade);
  if (known !== undefined) return known;
  throw new WireError(
    400,
    "INVALID_CASCADE",
    `cascade must be one of ${CASCADES.join(", ")}`,
  );
}

/** What is to go. Everything only when the caller confirms that. */
function readSelector(
  body: JsonRecord,
): Pick<LogForgetRequest, "ids" | "recordedFrom" | "recordedTo"> {
  const selector = optionalRecord(body, "selector") ?? {};
  assertKnown(selector, SELECTORS, "selector.");
  const isAll = optionalSwitch(body, "confirm_all") === true;
  if (Object.keys(selector).length > 0 && isAll) {
    throw new WireError(
      400,
      "AMBIGUOUS_SELECTOR_CONFIRM_ALL",
      "Send a selector or confirm_all, not both",
    );
  }
  const derived = DERIVED_SELECTORS.find((name) => name in selector);
  if (derived !== undefined) {
    throw notConfigured(
      `selector.${derived} picks from derived layers, which are not kept here`,
    );
  }
  const ids = optionalTexts(selector, "memory_ids", {
    items: MAX_FORGET_IDS,
    length: 100,
  });
  const period = optionalRecord(selector, "recorded_during");
  if (period !== undefined) {
    assertKnown(period, ["from", "to"], "selector.recorded_during.");
  }
  const from = optionalTime(period ?? {}, "from");
  const to = optionalTime(period ?? {}, "to");
  const isEmpty = ids.length === 0 && from === undefined && to === undefined;
  if (isEmpty && !isAll) {
    throw invalid(
      "Nothing is selected: name memory_ids or a recorded_during, or confirm_all",
      "EMPTY_SELECTOR_WITHOUT_CONFIRMATION",
    );
  }
  // An empty list next to a period selects nothing, as it says.
  const isNamed = Array.isArray(selector.memory_ids);
  return {
    ids: isNamed ? [...new Set(ids)] : undefined,
    recordedFrom: from,
    recordedTo: to,
  };
}
