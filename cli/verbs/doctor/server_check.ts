/**
 * Looks at the server that should listen where this process is told to: is it
 * there, is it ours, and what does its deep probe say.
 *
 * @module
 */
import { VERSION } from "../../../mcp/mod.ts";
import { apiKeysOf } from "../../app/api_key.ts";
import type { Config } from "../../settings/config.ts";
import type { Finding } from "./finding.ts";
import { clientAddressOf } from "../../app/http_server.ts";

/** Longest that the server may take: its own limits are shorter. */
const LIMIT_MS = 10_000;

/** A deep probe as `/up/deep` answers it. */
interface DeepProbe {
  readonly failed: readonly string[];
  readonly checks: Readonly<Record<string, { readonly detail: string }>>;
}

/** Checks address and running server. */
export async function checkServer(config: Config): Promise<Finding[]> {
  const where = `${config.host}:${config.port}`;
  if (config.port === 0 || isFree(config)) {
    const detail = `${
      config.port === 0 ? "PORT is 0" : `${where} is free`
    }: no server to look at`;
    return [{ check: "server", verdict: "ok", detail }];
  }
  const found = (verdict: Finding["verdict"], detail: string) => ({
    check: "server",
    verdict,
    detail: `${where} ${detail}`,
  });
  const up = await askJson(`${clientAddressOf(config)}/up`);
  if (up?.error === "forbidden_host") {
    return [found(
      "warning",
      "answers, but not to that name: ALLOWED_HOSTS keeps this check out",
    )];
  }
  if (up?.status !== "ok" || typeof up.version !== "string") {
    return [found(
      "warning",
      "is in use, and not by a Rootcellar that answers: choose another PORT, or look at that process",
    )];
  }
  const [key = ""] = await apiKeysOf(config);
  const isOther = up.version !== VERSION;
  return [
    found(
      isOther ? "warning" : "ok",
      isOther
        ? `is served by Rootcellar ${up.version}, and this is ${VERSION}: restart it`
        : `is served by Rootcellar ${VERSION}`,
    ),
    ...deepFindings(await askJson(`${clientAddressOf(config)}/up/deep`, key)),
  ];
}

function deepFindings(
  probe: Readonly<Record<string, unknown>> | undefined,
): Finding[] {
  const check = "deep probe";
  if (!isProbe(probe)) {
    const reason = typeof probe?.message === "string"
      ? probe.message
      : "no answer that can be read";
    return [{
      check,
      verdict: "warning",
      detail: `/up/deep could not be read: ${reason}`,
    }];
  }
  if (probe.failed.length === 0) {
    return [{ check, verdict: "ok", detail: "the server reaches its parts" }];
  }
  return probe.failed.map((name) => ({
    check,
    verdict: "wrong" as const,
    detail: `${name}: ${probe.checks[name]?.detail ?? "failed"}`,
  }));
}

function isProbe(value: unknown): value is DeepProbe {
  return typeof value === "object" && value !== null && "failed" in value &&
    Array.isArray(value.failed) && "checks" in value &&
    typeof value.checks === "object" && value.checks !== null;
}

function isFree({ host, port }: Config): boolean {
  try {
    Deno.listen({ hostname: host, port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}

/** The JSON object that an address answers with, whatever the status. */
async function askJson(
  url: string,
  key?: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const response = await fetch(url, {
      ...(key === undefined ? {} : { headers: { "x-api-key": key } }),
      redirect: "error",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const value: unknown = await response.json();
    return typeof value === "object" && value !== null
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}
