/**
 * Writes `store/schema.sql`, from an embedded PostgreSQL of its own:
 * `deno task schema`.
 *
 * @module
 */
import { openStore } from "../../store/mod.ts";
import { dumpSchema, SCHEMA_FILE } from "../support/schema_dump.ts";

const home = await Deno.makeTempDir({ prefix: "rootcellar-schema-" });
try {
  await using store = openStore({ databaseUrl: undefined, home });
  await Deno.writeTextFile(SCHEMA_FILE, await dumpSchema(await store.db()));
} finally {
  await Deno.remove(home, { recursive: true });
}
