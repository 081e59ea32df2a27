/**
 * Finds what code cites of the papers, and says which citations lead nowhere.
 *
 * A citation has one form, `Specification: docs/spec/root_data.md section 4`,
 * with `sections 3.1 and 3.2` and `; docs/…` for more. A test names the case it
 * holds as `[case 31]` or `[cases 57, 58]`.
 *
 * @module
 */

/** Where the cases are listed. */
export const CASES_PAGE = "docs/spec/root_data.md";

/** Reads a page of the repository; undefined where there is none. */
export type ReadPage = (path: string) => string | undefined;

const MARK_REGEXP = /\bSpecification:/g;
const CITED_REGEXP =
  /\bdocs\/[\w\/]+\.md sections? \d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)*)*/g;
/** A section of something that is neither a page of ours nor an RFC. */
const LOOSE_REGEXP = /(?<!\.md )(?<!RFC \d+,? )\bsections? \d[\d.]*/gi;
const CASES_REGEXP = /\[cases?\b([^\]]*)\]/g;
const NUMBERS_REGEXP = /^ (\d+(?:(?:, | and )\d+)*)$/;

/** Everything wrong with what a file cites, one line each. */
export function citationFaults(text: string, read: ReadPage): string[] {
  const flat = flatten(text);
  return [
    ...formFaults(flat),
    ...[...flat.matchAll(CITED_REGEXP)].flatMap(([cited]) =>
      pageFaults(cited, read)
    ),
    ...caseFaults(flat, read),
    ...[...flat.matchAll(LOOSE_REGEXP)].map(([found]) =>
      `"${found}" of what? Write "Specification: docs/… section N"`
    ),
  ];
}

/** Numbers of the sections that a page has as headings. */
export function sectionsOf(page: string): ReadonlySet<string> {
  return new Set(
    [...page.matchAll(/^#{2,4} (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) =>
      String(number)
    ),
  );
}

/** Numbers of the cases that a file names, in forms that are known. */
export function namedCases(text: string): readonly string[] {
  return [...text.matchAll(CASES_REGEXP)].flatMap(([, inner = ""]) =>
    inner.match(/\d+/g) ?? []
  );
}

/** Numbers of the cases that a page lists. */
export function casesOf(page: string): ReadonlySet<string> {
  const list = page.slice(page.indexOf("<!-- cases -->"));
  return new Set(
    [...list.matchAll(/^\| (\d+) +\|/gm)].map(([, number]) => String(number)),
  );
}

/** One line, without the marks that comments begin their lines with. */
function flatten(text: string): string {
  return text.split("\n")
    .map((line) => line.trim().replace(/^(?:\*(?!\/)|\/\/|--)\s?/, "").trim())
    .join(" ").replaceAll(/ +/g, " ");
}

function formFaults(flat: string): string[] {
  return [...flat.matchAll(MARK_REGEXP)].flatMap((mark) => {
    const rest = flat.slice(mark.index + mark[0].length, mark.index + 80);
    return rest.search(CITED_REGEXP) === 1
      ? []
      : [`"Specification:${rest}" is in no known form`];
  });
}

function pageFaults(cited: string, read: ReadPage): string[] {
  const [path = "", ...rest] = cited.split(" ");
  const page = read(path);
  if (page === undefined) return [`${path} does not exist`];
  const sections = sectionsOf(page);
  return [...rest.join(" ").matchAll(/\d+(?:\.\d+)*/g)].flatMap(([number]) =>
    sections.has(number) ? [] : [`${path} has no section ${number}`]
  );
}

function caseFaults(flat: string, read: ReadPage): string[] {
  // In a regular expression the brackets are escaped.
  return [...flat.replaceAll("\\", "").matchAll(CASES_REGEXP)].flatMap(
    ([found, inner = ""]) => {
      const numbers = NUMBERS_REGEXP.exec(inner)?.[1];
      if (numbers === undefined) return [`"${found}" is in no known form`];
      const known = casesOf(read(CASES_PAGE) ?? "");
      return [...numbers.matchAll(/\d+/g)].flatMap(([number]) =>
        known.has(number) ? [] : [`${CASES_PAGE} has no case ${number}`]
      );
    },
  );
}
