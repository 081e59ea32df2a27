/**
 * Where the data folder is when nobody says otherwise.
 *
 * @module
 */
import { ClusterError } from "./errors.ts";

/**
 * The platform's place for the data of a user, or of the machine for root.
 *
 * `ROOTCELLAR_HOME` is the caller's business.
 *
 * @throws {ClusterError} Code `unusable_home` when the environment does not say
 * where the user's folder is.
 */
export function defaultHome(
  env: (name: string) => string | undefined,
  os: string,
  uid: number | null,
): string {
  if (os === "windows") {
    return `${required(env, "LOCALAPPDATA")}\\rootcellar`;
  }
  if (uid === 0) return "/var/lib/rootcellar";
  if (os === "darwin") {
    return `${required(env, "HOME")}/Library/Application Support/rootcellar`;
  }
  // The XDG specification has relative paths ignored.
  const data = env("XDG_DATA_HOME");
  if (data?.startsWith("/")) return `${data}/rootcellar`;
  return `${required(env, "HOME")}/.local/share/rootcellar`;
}

function required(
  env: (name: string) => string | undefined,
  name: string,
): string {
  const value = env(name);
  if (value) return value;
  throw new ClusterError(
    "unusable_home",
    `Cannot choose a data folder: ${name} is not set; set ROOTCELLAR_HOME`,
  );
}
