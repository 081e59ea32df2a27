/**
 * The table of states as the page `docs/session-states.md`.
 *
 * @module
 */
import { SESSION_STATUSES } from "../../store/sessions/mod.ts";
import { EFFECTS, GUARDS, STATES, TRANSITIONS } from "./states.ts";

/** The page, as it stands in the repository. */
export function renderStates(): string {
  const transitions = Object.entries(TRANSITIONS);
  const reached = transitions.flatMap(([, { to }]) => to);
  const idle = SESSION_STATUSES.filter((status) => !reached.includes(status));
  return [
    "# States of a session",
    "",
    "Written from the table in `fleet/sessions/states.ts` by `deno task docs:write`.",
    "",
    ...table(
      ["State", "Meaning"],
      SESSION_STATUSES.map((status) => [code(status), STATES[status]]),
    ),
    "",
    "An event locks the session's row, and state and effects are written in one",
    "transaction. In a state that is not listed under `From` it is refused and",
    "changes nothing.",
    "",
    ...table(
      ["Event", "From", "To", "Must hold", "Effects", "Once more"],
      transitions.map(([event, one]) => [
        code(event),
        one.from.map(code).join(", ") || "no session yet",
        one.to.map(code).join(" or "),
        one.guards.map((guard) => GUARDS[guard]).join("; ") || "–",
        one.effects.map((effect) => EFFECTS[effect]).join("; ") || "–",
        one.isIdempotent ? "changes nothing" : "–",
      ]),
    ),
    "",
    ...(idle.length === 0
      ? []
      : [`No event leads to ${idle.map(code).join(", ")} yet.`, ""]),
  ].join("\n");
}

/** A Markdown table whose columns line up, as the formatter wants it. */
function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(" | ")} |`;
  return [
    line(head),
    line(widths.map((width) => "-".repeat(width))),
    ...rows.map(line),
  ];
}

function code(text: string): string {
  return `\`${text}\``;
}
