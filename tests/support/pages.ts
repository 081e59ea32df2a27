/**
 * The pages as a browser asks for them, without one.
 *
 * @module
 */
import { Hono } from "hono";
import {
  createSignIns,
  SIGN_IN_SECONDS,
} from "../../mcp/pages/sign_in_cookie.ts";
import { API_KEY, type TestEndpoint } from "./endpoint.ts";

/** Where the endpoint believes to be. */
export const ORIGIN = "http://localhost";
/** Media type of a form. */
export const FORM = "application/x-www-form-urlencoded";

/** Sends a form as the page's own browser does, unless headers say other. */
export async function postForm(
  endpoint: TestEndpoint,
  path: string,
  fields: Readonly<Record<string, string>>,
  { headers = { origin: ORIGIN }, address }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly address?: string;
  } = {},
): Promise<Response> {
  return await endpoint.fetch(path, {
    method: "POST",
    headers: { "content-type": FORM, ...headers },
    body: new URLSearchParams(fields).toString(),
  }, address);
}

/** Signs in and returns the `Cookie` header of what follows. */
export async function signIn(
  endpoint: TestEndpoint,
  key: string = API_KEY,
): Promise<string> {
  const response = await postForm(endpoint, "/sign_in", { key });
  await response.body?.cancel();
  return cookieOf(response);
}

/** The `Cookie` header that answers a `Set-Cookie`. */
export function cookieOf(response: Response): string {
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** A cookie that was good until a second ago. */
export async function expiredCookie(key: string): Promise<string> {
  const began = Date.now() - (SIGN_IN_SECONDS + 1) * 1_000;
  const signIns = createSignIns([key], {
    people: () => Promise.resolve({ kind: "unset" }),
    now: () => began,
  });
  const app = new Hono();
  app.get("/", async (c) => {
    await signIns.begin(c, key);
    return c.body(null);
  });
  return cookieOf(await app.request("/"));
}
