/**
 * The parts of pages that are made from the code. `deno task docs:write` writes
 * them, and a test holds the pages to them.
 *
 * @module
 */
import { renderStates } from "../../fleet/sessions/render_states.ts";
import { renderRoutes } from "./render_routes.ts";
import { renderSettings } from "./render_settings.ts";
import { renderTools } from "./render_tools.ts";
import { renderVerbs } from "./render_verbs.ts";
import { renderWalls } from "./render_walls.ts";

/** A part of a page, between two comments that name it. */
export interface GeneratedPart {
  /** The page it stands in. */
  readonly page: string;
  /** Its name in the comments. */
  readonly name: string;
  /** Makes its Markdown. */
  readonly render: () => string | Promise<string>;
}

/** All generated parts. A new page needs its comments and a line here. */
export const PARTS: readonly GeneratedPart[] = [
  { page: "docs/architecture.md", name: "walls", render: renderWalls },
  { page: "docs/configuration.md", name: "settings", render: renderSettings },
  { page: "docs/tools.md", name: "tools", render: renderTools },
  { page: "docs/rest.md", name: "routes", render: renderRoutes },
  { page: "docs/command_line.md", name: "verbs", render: renderVerbs },
];

/** A page that is made from the code as a whole. */
export interface GeneratedPage {
  /** The page. */
  readonly page: string;
  /** Makes its text. */
  readonly render: () => string | Promise<string>;
}

/** All pages of that kind. */
export const PAGES: readonly GeneratedPage[] = [
  { page: "docs/session-states.md", render: renderStates },
];

/** The page with the part put in. @throws {Error} Its comments are missing. */
export function withPart(page: string, name: string, body: string): string {
  const begin = page.indexOf(`<!-- generated: ${name} `);
  const from = page.indexOf("-->", begin) + 3;
  const to = page.indexOf(`<!-- end: ${name} -->`);
  if (begin < 0 || to < from) {
    throw new Error(`The page has no place for the part "${name}"`);
  }
  return [
    page.slice(0, from),
    "<!-- deno-fmt-ignore-start -->\n",
    body.trim(),
    "\n<!-- deno-fmt-ignore-end -->",
    page.slice(to),
  ].join("\n");
}
