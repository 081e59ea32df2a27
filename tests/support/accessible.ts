/**
 * What every page has to be in every look: accessible, as wide as the window,
 * and without an incident.
 *
 * @module
 */
import { deepEqual, equal } from "node:assert/strict";
import type { Look, Visitor } from "./browser.ts";
import { clientPath } from "./clients.ts";

/** Set to a folder, it gets a picture of every page in every look. */
const SHOTS = Deno.env.get("PAGE_SHOTS");

/** Colours do not change with the width, nor sizes with the colours. */
export const LOOKS: readonly Required<
  Pick<Look, "colorScheme" | "width">
>[] = [
  { colorScheme: "light", width: 1_600 },
  { colorScheme: "dark", width: 360 },
  ...(SHOTS === undefined ? [] : [
    { colorScheme: "light", width: 360 },
    { colorScheme: "dark", width: 1_600 },
  ] as const),
];

/** Holds the page that a visitor looks at to it. */
export async function assertAccessible(
  { page, incidents }: Visitor,
  name: string,
  { colorScheme, width }: typeof LOOKS[number],
): Promise<void> {
  const place = `${name} ${colorScheme} ${width}`;
  if (SHOTS !== undefined) {
    const file = place.replaceAll(/[^a-z0-9]+/gi, "-");
    await page.screenshot({ path: `${SHOTS}/${file}.png`, fullPage: true });
  }
  await page.evaluate(
    await Deno.readTextFile(await clientPath("axe-core/axe.min.js")),
  );
  const violations: string[] = await page.evaluate(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
       nodes.map(({ html, failureSummary }) => id + ": " + html + failureSummary)))`,
  );
  const found = violations.slice(0, 3).join("\n");
  equal(found, "", `${place}: ${found}`);
  await page.evaluate(
    "document.querySelectorAll('details').forEach((one) => one.open = true)",
  );
  equal(
    await page.evaluate("document.documentElement.scrollWidth"),
    width,
    place,
  );
  deepEqual(incidents, [], place);
}
