/**
 * The verbs of the command line, each loaded only when it is called.
 *
 * @module
 */
import type { Verb } from "./verb.ts";

/** Loads each verb by name, in the order in which help lists them. */
export const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  start: async () => (await import("./verbs/start.ts")).start,
  serve: async () => (await import("./verbs/start.ts")).serve,
  stdio: async () => (await import("./verbs/stdio.ts")).stdio,
  demo: async () => (await import("./verbs/demo/demo.ts")).demo,
  session: async () => (await import("./verbs/session/session.ts")).session,
  trigger: async () => (await import("./verbs/trigger.ts")).trigger,
  cost: async () => (await import("./verbs/cost.ts")).cost,
  users: async () => (await import("./verbs/users.ts")).users,
  runner: async () => (await import("./verbs/runner/runner.ts")).runner,
  connect: async () => (await import("./verbs/connect/connect.ts")).connect,
  sweep: async () => (await import("./verbs/sweep.ts")).sweep,
  export: async () => (await import("./verbs/export.ts")).exportVerb,
  import: async () => (await import("./verbs/import/import.ts")).importVerb,
  records: async () => (await import("./verbs/records.ts")).records,
  migrate: async () =>
    (await import("./verbs/database/database.ts")).migrateVerb,
  db: async () => (await import("./verbs/database/database.ts")).database,
  catalog: async () => (await import("./verbs/catalog/catalog.ts")).catalog,
  scope: async () => (await import("./verbs/scope/scope.ts")).scope,
  cortex: async () => (await import("./verbs/cortex.ts")).cortex,
  doctor: async () => (await import("./verbs/doctor/doctor.ts")).doctor,
};
