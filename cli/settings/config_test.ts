import { deepEqual, equal, throws } from "node:assert/strict";
import { ConfigError, readConfig } from "./config.ts";

const MACHINE = { os: "linux", uid: 1000 };

function poolOf(value: string): number {
  const env: Record<string, string> = { HOME: "/home/t", DATABASE_POOL: value };
  return readConfig({}, (name) => env[name], MACHINE).databasePool;
}

Deno.test("CATALOG_ALIASES gives a name one meaning", () => {
  const read = (value: string) => {
    const env = new Map([["HOME", "/home/t"], ["CATALOG_ALIASES", value]]);
    return readConfig({}, (name) => env.get(name), MACHINE).catalogAliases;
  };
  deepEqual(read("old=new, older=new, old=new"), { old: "new", older: "new" });
  throws(() => read("old=new,old=other"), /gives "old" two meanings/);
});

Deno.test("DATABASE_POOL of 1 is refused: a sweep needs a connection beside its lock", () => {
  equal(poolOf("2"), 2);
  throws(() => poolOf("1"), (error: unknown) =>
    error instanceof ConfigError &&
    /DATABASE_POOL must be a whole number from 2 to 100/.test(error.message));
});
