/**
 * Why a prompt failed, by what agents answer: codes and fields, never prose.
 *
 * @module
 */
import type { FailureClass } from "../../../fleet/turns/protocol.ts";
import { jsonAt, PeerClosedError, RpcError } from "./peer.ts";

const AUTH_REQUIRED = -32000;

const CLASS_OF_KIND: Readonly<Record<string, FailureClass>> = {
  rate_limit: "overloaded",
  overloaded: "overloaded",
  server_error: "overloaded",
  billing_error: "billing",
  authentication_failed: "auth_required",
  oauth_org_not_allowed: "auth_required",
  model_not_found: "model_unavailable",
  usage_limit: "usage_limit",
  // Codex.
  usageLimitExceeded: "usage_limit",
  unauthorized: "auth_required",
  serverOverloaded: "overloaded",
  internalServerError: "overloaded",
  responseStreamDisconnected: "overloaded",
  responseStreamConnectionFailed: "overloaded",
  responseTooManyFailedAttempts: "overloaded",
  httpConnectionFailed: "overloaded",
};

/** The class of an error of an agent. */
export function failureOf(error: unknown): FailureClass {
  if (error instanceof PeerClosedError) return "crashed";
  if (!(error instanceof RpcError)) return "agent_error";
  if (error.code === AUTH_REQUIRED) return "auth_required";
  const data = jsonAt({ data: error.data }, "data");
  const info = data.codexErrorInfo;
  const kind = data.errorKind ??
    (typeof info === "string"
      ? info
      : Object.keys(jsonAt(data, "codexErrorInfo"))[0]);
  return typeof kind === "string"
    ? CLASS_OF_KIND[kind] ?? "agent_error"
    : "agent_error";
}
