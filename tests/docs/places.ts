/**
 * Whether what a page points at is there: paths of the repository in backticks,
 * and links with their headings.
 *
 * @module
 */
import { dirname, join } from "node:path/posix";
import { exists, readFile, topLevel } from "./repository.ts";

/** `a/b.ts`, `a/b/`, `a/<name>/b.ts`, `a/*_b.ts`. */
const PATH_REGEXP = /`(\.?[\w-]+(?:\/[\w.<>*-]+)+\/?)`/g;
const LINK_REGEXP = /\]\(([^)\s]+)\)/g;

/** Modules that a path may begin with, whether or not they are there. */
const MODULES: readonly string[] = ["fleet", "runner"];

/** Paths in backticks that do not exist. What is left open counts up to there. */
export function pathFaults(text: string): string[] {
  const tops = [...topLevel(), ...MODULES];
  return [...text.matchAll(PATH_REGEXP)].flatMap(([, path = ""]) => {
    const parts = path.split("/");
    if (!tops.includes(parts[0] ?? "")) return [];
    const open = parts.findIndex((part) => /[<*]/.test(part));
    const known = open < 0 ? path : parts.slice(0, open).join("/");
    return exists(known) ? [] : [`\`${path}\` does not exist`];
  });
}

/** Links of a page to files or headings that are not there. */
export function linkFaults(page: string, text: string): string[] {
  return [...text.matchAll(LINK_REGEXP)].flatMap(([, link = ""]) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file = "", heading] = link.split("#");
    const path = file === "" ? page : join(dirname(page), file);
    if (file !== "" && !exists(path)) return [`${file} does not exist`];
    if (heading === undefined) return [];
    const target = file === "" ? text : readFile(path) ?? "";
    return anchorsOf(target).includes(heading)
      ? []
      : [`${file} has no heading #${heading}`];
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  );
}
