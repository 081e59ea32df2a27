/**
 * What an operator set about classes.
 *
 * @module
 */
import type { Queryable } from "../pg/db.ts";
import {
  GENESES,
  type Genesis,
  SCHEDULING_CLASSES,
  type SchedulingClass,
} from "../sessions/words.ts";

/** Classes of geneses that are not the usual ones. */
export type ClassOverrides = Readonly<
  Partial<Record<Genesis, SchedulingClass>>
>;

/** Reads them; empty where nothing was set. */
export async function readClassOverrides(
  db: Queryable,
): Promise<ClassOverrides> {
  const [row] = await db.read<{ overrides: Record<string, unknown> }>(
    "select genesis_class_overrides as overrides from app_settings",
  );
  const found: Partial<Record<Genesis, SchedulingClass>> = {};
  for (const genesis of GENESES) {
    const name = row?.overrides[genesis];
    const known = SCHEDULING_CLASSES.find((one) => one === name);
    if (known !== undefined) found[genesis] = known;
  }
  return found;
}
