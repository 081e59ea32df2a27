/**
 * `POST /v1/erasures` and `GET /v1/erasures/{id}`: deleting a scope and
 * everything below it.
 *
 * An erasure is recorded before it deletes anything. Whoever polls it works on
 * it, and so does the first call of a process that finds one unfinished.
 *
 * @module
 */
import { assertKnownQuery, type WireCall } from "../call.ts";
import { invalid, WireError } from "../wire_error.ts";
import type { LogErasure } from "../port.ts";
import {
  assertKnown,
  optionalSwitch,
  optionalText,
  requiredText,
} from "../fields.ts";
import { readJsonBody } from "../json_body.ts";
import { assertScopePath, MAX_PATH_CHARACTERS } from "../scope_path.ts";

/** Starts an erasure. */
export async function postErasure(
  { request, actor, log }: WireCall,
): Promise<Response> {
  const body = await readJsonBody(request);
  assertKnown(body, ["scope", "confirm_all", "audit_note"]);
  const scope = assertScopePath(
    requiredText(body, "scope", MAX_PATH_CHARACTERS),
  );
  if (optionalSwitch(body, "confirm_all") !== true) {
    throw invalid(
      "An erasure deletes the scope and everything below it: confirm_all must be true",
      "EMPTY_SELECTOR_WITHOUT_CONFIRMATION",
    );
  }
  const note = optionalText(body, "audit_note", 2_000);
  const erasure = await log.startErasure({ scope, actor, note });
  return Response.json(toAnswer(erasure), { status: 202 });
}

/** Works on an erasure and says where it stands. */
export async function getErasure(
  { query, rest, log }: WireCall,
): Promise<Response> {
  assertKnownQuery(query, []);
  const erasure = await log.advanceErasure(rest);
  if (erasure !== undefined) return Response.json(toAnswer(erasure));
  throw new WireError(404, "NOT_FOUND", "There is no such erasure");
}

function toAnswer({ id, scope, status, deleted }: LogErasure): unknown {
  return { erasure_id: id, scope, status, deleted: { events: deleted } };
}
