/**
 * The price table of this server: the built-in one, or that with the operator's
 * own rows. A file that cannot be used never costs the report: the answer says
 * what is wrong.
 *
 * @module
 */
import { BUILT_IN_PRICES, type PriceTable, readPrices } from "../fleet/mod.ts";
import type { Services } from "./services.ts";

/** A table, and what is wrong with the operator's own. */
export interface Prices {
  /** The table in use. */
  readonly table: PriceTable;
  /** Why it is not the operator's. */
  readonly problem?: string;
}

/** A larger file is no price table. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads the table. Never rejects. */
export async function pricesOf(
  { pricesFile }: Pick<Services, "pricesFile">,
): Promise<Prices> {
  if (pricesFile === undefined) return { table: BUILT_IN_PRICES };
  const unused = (why: string): Prices => ({
    table: BUILT_IN_PRICES,
    problem: `PRICES is not used, and the built-in table is: ${why}`,
  });
  let text: string;
  try {
    const { size } = await Deno.stat(pricesFile);
    if (size > MAX_BYTES) return unused("the file is larger than 4 MiB");
    text = await Deno.readTextFile(pricesFile);
  } catch (error) {
    return unused(
      error instanceof Deno.errors.NotFound
        ? "there is no such file"
        : "the file cannot be read",
    );
  }
  const reading = readPrices(text);
  return reading.ok
    ? { table: reading.table }
    : unused(reading.problems.join("; "));
}
