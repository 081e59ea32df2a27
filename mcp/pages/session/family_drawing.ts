/**
 * The family of a session as a small drawing, beside a list that says the same.
 *
 * @module
 */
import type { Family, Relative } from "../../../store/session_reads/mod.ts";
import { standingOf } from "../board/standing.ts";
import { text } from "../format.ts";
import { PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";

/** Sessions that are drawn at most; more are only listed. */
const MAX_DRAWN = 40;
const STEP_X = 26;
const STEP_Y = 24;
const RADIUS = 6;
const TITLE_CHARACTERS = 60;

/** A session in its place: how deep, and in which line. */
interface Placed {
  readonly one: Relative;
  readonly depth: number;
  readonly line: number;
  /** Line of the session that started it. */
  readonly from: number | undefined;
}

/** The family; nothing where the session stands alone. */
export function familyDrawing(
  { relatives, isTruncated }: Family,
  sessionId: number,
): Html {
  if (relatives.length <= 1) {
    return markup`<p class="muted">Nobody started it, and it started nobody.</p>`;
  }
  const placed = place(relatives);
  return markup`<div class="family">${
    placed.length <= MAX_DRAWN && drawing(placed, sessionId)
  }<ol>${
    placed.map(({ one, depth }) => {
      const [word] = standingOf({ ...NO_DETAILS, status: statusOf(one) });
      const name = markup`#${one.id} ${
        text(one.title.slice(0, TITLE_CHARACTERS))
      }`;
      return markup`<li>${
        one.id === sessionId
          ? markup`<strong>${name}</strong>`
          : markup`<a href="${PATHS.sessions}/${one.id}">${name}</a>`
      } <span class="muted">${word}${
        depth > 0 && one.parentId !== null &&
        markup`, started by #${one.parentId}`
      }</span></li>`;
    })
  }</ol></div>${
    isTruncated &&
    markup`<p class="muted">There are more: the walk stopped here.</p>`
  }`;
}

const NO_DETAILS = {
  waitReason: null,
  pausedBy: null,
  pendingSleep: null,
  failureReason: null,
} as const;

type Status = Parameters<typeof standingOf>[0]["status"];

function statusOf({ status }: Relative): Status {
  return status as Status;
}

function drawing(placed: readonly Placed[], sessionId: number): Html {
  const deepest = Math.max(...placed.map(({ depth }) => depth));
  const width = (deepest + 1) * STEP_X;
  const height = placed.length * STEP_Y;
  const x = (depth: number) => depth * STEP_X + STEP_X / 2;
  const y = (line: number) => line * STEP_Y + STEP_Y / 2;
  const depthOf = new Map(placed.map(({ line, depth }) => [line, depth]));
  // The list beside it says all that it shows.
  return markup`<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true" focusable="false">${
    placed.map(({ from, depth, line }) =>
      from !== undefined &&
      markup`<path class="edge" d="M${x(depthOf.get(from) ?? 0)} ${
        y(from) + RADIUS
      }V${y(line)}H${x(depth) - RADIUS}"/>`
    )
  }${
    placed.map(({ one, depth, line }) =>
      markup`<circle class="node ${statusOf(one)}${
        one.id === sessionId && " here"
      }" cx="${x(depth)}" cy="${y(line)}" r="${RADIUS}"/>`
    )
  }</svg>`;
}

/** Each once: below the session that started it, else at the top. */
function place(relatives: readonly Relative[]): readonly Placed[] {
  const known = new Set(relatives.map(({ id }) => id));
  const inOrder = relatives.toSorted((a, b) => a.id - b.id);
  const children = Map.groupBy(
    inOrder,
    ({ id, parentId }) =>
      parentId !== null && parentId !== id && known.has(parentId)
        ? parentId
        : 0,
  );
  const placed: Placed[] = [];
  const seen = new Set<number>();
  const walk = (one: Relative, depth: number, from: number | undefined) => {
    if (seen.has(one.id)) return;
    seen.add(one.id);
    const line = placed.length;
    placed.push({ one, depth, line, from });
    for (const child of children.get(one.id) ?? []) {
      walk(child, depth + 1, line);
    }
  };
  for (const one of children.get(0) ?? []) walk(one, 0, undefined);
  // Sessions that started each other in a ring have no top.
  for (const one of inOrder) walk(one, 0, undefined);
  return placed;
}
