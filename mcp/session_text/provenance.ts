/**
 * Where a session comes from and what people said, to be read.
 *
 * Counts are of the whole record, whatever is shown of it, and every pointer is
 * to a call that returns what it promises.
 *
 * @module
 */
import { classOf, type Provenance } from "../../fleet/mod.ts";
import {
  type HumanMessage,
  MAX_LEVELS,
  MAX_NODES,
  NEWEST_OF_ALL,
  NEWEST_OF_EACH,
  type Relative,
} from "../../store/session_reads/mod.ts";
import { Markdown } from "../markdown/document.ts";
import { grouped, Inline, joined, md } from "../markdown/inline.ts";
import { second } from "./state.ts";

/** Entries of each origin in a summary. */
export const SUMMARY_ENTRIES = 5;
/** Characters of an entry in a summary. */
const SUMMARY_CHARACTERS = 300;
/** Levels of the outline that are indented. */
const MAX_INDENT = MAX_LEVELS + 1;

/** The section about the family. */
export function hierarchySection(provenance: Provenance): Markdown {
  const { family, sessionId } = provenance;
  const { relatives, isTruncated } = family;
  const markdown = new Markdown().heading(3, md`Session Hierarchy`);
  if (relatives.length <= 1) {
    markdown.line(
      md`This session stands alone: nobody started it, and it started nobody.`,
    );
  } else {
    markdown.line(
      md`${relatives.length} sessions. An edge means "started", not "last spoken to".`,
    );
  }
  for (const { one, depth, isByClaim } of outline(relatives)) {
    markdown.item(lineOf(one, provenance, isByClaim), depth);
  }
  if (isTruncated) {
    markdown.line(
      md`**Truncated:** the walk stopped at ${MAX_LEVELS} levels or ${MAX_NODES} sessions, so this hierarchy has more than is listed${
        relatives.some(({ id }) => id === sessionId) ? "" : ", this session too"
      }; get_session_provenance of a session at its edge goes on from there.`,
    );
  }
  return markdown;
}

interface Placed {
  readonly one: Relative;
  readonly depth: number;
  /** Whether it stands here by an uncle's claim. */
  readonly isByClaim: boolean;
}

/** Each relative once: below its parent, else below an uncle, else at the top. */
function outline(relatives: readonly Relative[]): readonly Placed[] {
  const known = new Set(relatives.map(({ id }) => id));
  const seniorOf = (one: Relative) => {
    const { id, parentId, uncleIds } = one;
    if (parentId !== null && parentId !== id && known.has(parentId)) {
      return { id: parentId, isByClaim: false };
    }
    const uncle = uncleIds.find((uncleId) => known.has(uncleId));
    return uncle === undefined ? undefined : { id: uncle, isByClaim: true };
  };
  const inOrder = relatives.toSorted((a, b) => a.id - b.id);
  const juniors = Map.groupBy(inOrder, (one) => seniorOf(one)?.id ?? 0);
  const placed: Placed[] = [];
  const seen = new Set<number>();
  const place = (one: Relative, depth: number) => {
    if (seen.has(one.id)) return;
    seen.add(one.id);
    const isByClaim = seniorOf(one)?.isByClaim === true;
    placed.push({ one, depth: Math.min(depth, MAX_INDENT), isByClaim });
    for (const junior of juniors.get(one.id) ?? []) place(junior, depth + 1);
  };
  for (const one of juniors.get(0) ?? []) place(one, 0);
  // A ring of parents has no top.
  for (const one of relatives) place(one, 0);
  return placed;
}

function lineOf(
  one: Relative,
  { sessionId, overrides }: Provenance,
  isByClaim: boolean,
): Inline {
  const others = one.uncleIds.filter((_id, index) => !isByClaim || index > 0);
  const also = others.length === 0
    ? md``
    : md` (also senior, by their own claim: ${
      joined(others.map((id) => md`#${id}`), ", ")
    })`;
  return md`#${one.id} [${one.agentRootKey ?? "no root"}] {${one.genesis} · ${
    classOf(one, overrides).name
  }} ${one.title}${isByClaim ? " (here by a claimed edge)" : ""}${also}${
    one.id === sessionId ? new Inline(" <- this session") : ""
  }`;
}

/** How much of the record is shown. */
export type RecordForm = "whole" | "summary";

/** The section about what people said. */
export function humanSection(
  provenance: Provenance,
  form: RecordForm,
): Markdown {
  const { record, family, unheard } = provenance;
  const { here, elsewhere, newest } = record;
  const markdown = new Markdown().heading(3, md`Human Messages`);
  if (unheard.length > 0) {
    markdown.item(
      md`**Capture is NOT configured for ${
        unheard.join(" and ")
      }:** what people say there is not recorded.`,
    );
  }
  const total = here + elsewhere;
  if (total === 0) {
    markdown.line(emptyLine(provenance));
    return markdown;
  }
  markdown.item(
    md`**Recorded:** ${grouped(total)} message(s) in this hierarchy: ${
      grouped(here)
    } here (said to this session), ${
      grouped(elsewhere)
    } elsewhere (said to others of the hierarchy)`,
  );
  const shown = form === "whole" ? newest : summaryOf(newest);
  const isWhole = form === "whole" ||
    shown.every(({ content }) => [...content].length <= SUMMARY_CHARACTERS);
  if (shown.length === total && isWhole) {
    markdown.item(
      family.isTruncated
        ? md`**Complete as far as the walk went:** every entry that the walk reached is listed below, in full; the hierarchy is truncated, as said above`
        : md`**Complete:** every entry in this record is listed below, in full`,
    );
  } else markdown.item(cutLine(shown.length, provenance, form));
  for (const entry of shown) writeEntry(markdown, entry, form);
  return markdown;
}

function emptyLine({ unheard, family }: Provenance): Inline {
  if (unheard.length > 0) {
    return md`No human message is recorded, but the check could not be established: a person may have spoken where nobody was listening.`;
  }
  return family.isTruncated
    ? md`No human spoke to any session that the walk reached; the hierarchy is truncated, so this does not hold for all of it.`
    : md`No human spoke: no named person wrote to any of the ${family.relatives.length} session(s) of this hierarchy, and capture is configured where people could have.`;
}

/** What is left out, and which call returns it, or that none does. */
function cutLine(
  shown: number,
  { record }: Provenance,
  form: RecordForm,
): Inline {
  const total = record.here + record.elsewhere;
  const listed = record.newest.length;
  const older = total - listed;
  const lost = older === 0
    ? md``
    : md`; ${
      grouped(older)
    } older one(s) are returned by no call: it lists the newest ${NEWEST_OF_ALL} and the newest ${NEWEST_OF_EACH} of each origin`;
  return form === "whole"
    ? md`**Cut:** ${listed} of ${
      grouped(total)
    } entries are listed, in full${lost}`
    : md`**Summary:** ${shown} of ${
      grouped(total)
    } entries are listed, long ones cut; get_session_provenance (or verbose: true) lists ${listed} in full${lost}`;
}

/** The newest of each origin; they are among what the whole form lists. */
function summaryOf(newest: readonly HumanMessage[]): readonly HumanMessage[] {
  const counts = { here: 0, elsewhere: 0 };
  return newest.filter(({ isHere }) =>
    ++counts[isHere ? "here" : "elsewhere"] <= SUMMARY_ENTRIES
  );
}

function writeEntry(
  markdown: Markdown,
  { author, channel, content, occurredAt, sessionId, isHere }: HumanMessage,
  form: RecordForm,
): void {
  markdown.item(
    md`**${author}** over ${channel} at ${second(occurredAt)}, ${
      isHere ? "here" : "elsewhere"
    } (session #${sessionId}):`,
  );
  if (form === "whole") markdown.quote(content, 1);
  else {
    markdown.quoteUpTo(content, {
      limit: SUMMARY_CHARACTERS,
      whole: "get_session_provenance has it in full",
    }, 1);
  }
}
