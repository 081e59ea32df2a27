/**
 * Writes the generated parts of the pages: `deno task docs:write`.
 *
 * @module
 */
import { PAGES, PARTS, withPart } from "./pages.ts";
import { readFile, REPOSITORY } from "./repository.ts";

for (const { page, name, render } of PARTS) {
  const text = withPart(readFile(page) ?? "", name, await render());
  await Deno.writeTextFile(new URL(page, REPOSITORY), text);
}
for (const { page, render } of PAGES) {
  await Deno.writeTextFile(new URL(page, REPOSITORY), await render());
}
