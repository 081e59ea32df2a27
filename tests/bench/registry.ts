/**
 * All benchmarks, in the order in which they are listed and run.
 *
 * @module
 */
import { append } from "./append.ts";
import type { Benchmark } from "./benchmark.ts";
import { blocking } from "./blocking.ts";
import { board } from "./board.ts";
import { catalog } from "./catalog.ts";
import { cortex } from "./cortex/cortex.ts";
import { persons } from "./cortex/persons.ts";
import { http } from "./http.ts";
import { ledgers } from "./ledgers.ts";
import { memory } from "./memory.ts";
import { memoryUse } from "./memory_use.ts";
import { peer } from "./peer.ts";
import { pgbench } from "./pgbench.ts";
import { recall } from "./recall/recall.ts";
import { records } from "./records.ts";
import { runner } from "./runner.ts";
import { scopes } from "./scopes.ts";
import { search } from "./search.ts";
import { sessions } from "./sessions.ts";
import { startup } from "./startup.ts";
import { sweeping } from "./sweep.ts";
import { wakes } from "./wakes.ts";

/** The registry. */
export const BENCHMARKS: readonly Benchmark[] = [
  startup,
  records,
  pgbench,
  search,
  append,
  peer,
  http,
  memoryUse,
  memory,
  recall,
  cortex,
  persons,
  blocking,
  sweeping,
  catalog,
  scopes,
  ledgers,
  sessions,
  wakes,
  board,
  runner,
];
