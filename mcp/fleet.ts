/**
 * The fleet, told what only the endpoint knows: which tool groups there are, and
 * which people.
 *
 * @module
 */
import type { Fleet } from "../fleet/mod.ts";
import { readUsers } from "./people/users.ts";
import { namesOf } from "./tools/group.ts";
import { GROUPS } from "./tools/registry.ts";
import type { Services } from "./services.ts";

/**
 * What the rules of the fleet work on, from what the server is built from.
 * The registry has tools that call this: it is asked when they do, not before.
 */
export function fleetOf(
  {
    catalog,
    store,
    humanChannels,
    outside,
    routerRoot,
    defaultRuntime,
    durations,
    elicitationMinutes,
    usersFile,
  }: Services,
): Fleet {
  return {
    catalog,
    store,
    humanChannels,
    outside,
    routerRoot,
    defaultRuntime,
    durations,
    elicitationMinutes,
    people: () => namesOfPeople(usersFile),
    groupNames: namesOf(GROUPS),
  };
}

/** Who is in the file of people now; undefined without one that can be read. */
async function namesOfPeople(
  usersFile: string | undefined,
): Promise<ReadonlySet<string> | undefined> {
  const reading = await readUsers(usersFile);
  return reading.kind === "users"
    ? new Set(reading.users.map(({ name }) => name))
    : undefined;
}
