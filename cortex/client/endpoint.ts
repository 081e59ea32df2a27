/**
 * The address of a CortexDB, checked before anything is sent to it.
 *
 * @module
 */

const LOOPBACK_REGEXP = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * What is wrong with an endpoint, or undefined. Says nothing of the endpoint's
 * own text, which may hold a credential.
 */
export function endpointProblem(endpoint: string): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null) return "is no URL";
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return "is neither https: nor http:";
  }
  if (url.username !== "" || url.password !== "") {
    return "carries a user name or password; use the key's own setting";
  }
  if (url.protocol === "http:" && !LOOPBACK_REGEXP.test(url.hostname)) {
    return "is http: and not on loopback; use https:";
  }
  return undefined;
}
