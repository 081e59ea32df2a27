/**
 * The verbs of the command line, each loaded only when it is called.
 *
 * @module
 */
import type { Verb } from "./verb.ts";

/** Loads each verb by name, in the order in which help lists them. */
export const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  start: async () => (await import("./start.ts")).start,
  serve: async () => (await import("./start.ts")).serve,
  stdio: async () => (await import("./stdio.ts")).stdio,
  demo: async () => (await import("./demo.ts")).demo,
  session: async () => (await import("./session.ts")).session,
  connect: async () => (await import("./connect.ts")).connect,
  sweep: async () => (await import("./sweep.ts")).sweep,
  export: async () => (await import("./export.ts")).exportVerb,
  import: async () => (await import("./import.ts")).importVerb,
  migrate: async () => (await import("./database.ts")).migrateVerb,
  db: async () => (await import("./database.ts")).database,
  catalog: async () => (await import("./catalog.ts")).catalog,
  scope: async () => (await import("./scope.ts")).scope,
  cortex: async () => (await import("./cortex.ts")).cortex,
  doctor: async () => (await import("./doctor.ts")).doctor,
};
