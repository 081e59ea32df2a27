/**
 * The HTTP surface, loaded when it is asked for: a stdio process starts without
 * it.
 *
 * @module
 */
import type { HttpHandler, HttpOptions } from "./http.ts";
import type { Services } from "./services.ts";

/** Builds the handler of all routes. */
export async function createHttpHandler(
  services: Services,
  options: HttpOptions,
): Promise<HttpHandler> {
  const { createHttpHandler } = await import("./http.ts");
  return createHttpHandler(services, options);
}
