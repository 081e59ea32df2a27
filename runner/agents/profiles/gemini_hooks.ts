/**
 * Hooks for Gemini CLI. It reads settings of a turn nowhere: those of the
 * machine have to be root's, and those of its home are all sessions'. So an
 * extension lies in the home, which does nothing but where a variable names the
 * folder of a turn's hooks.
 *
 * Over the protocol it runs no hooks around tools (`runTool` of 0.61.0 calls
 * them directly) and none that begin a session; a turn is one prompt, and
 * `BeforeAgent` stands before that.
 *
 * @module
 */
import type { HomeFile } from "../acp/profile.ts";
import { quoted } from "../../process/run_as.ts";
import type { HookForm, PlacedHook } from "../hooks.ts";

const FOLDER_VARIABLE = "ROOTCELLAR_HOOKS";
const EXTENSION_FOLDER = ".gemini/extensions/rootcellar";
const EVENTS: HookForm["events"] = {
  session_start: "BeforeAgent",
  session_end: "SessionEnd",
};
/** The scripts watch over the time of each hook. */
const ALL_MS = 86_400_000;
const STANDARD_TIMEOUT_MS = 60_000;

/** How it takes them. */
export const GEMINI_HOOKS: HookForm = {
  events: EVENTS,
  heedsMatcherAt: [],
  tell: (hooks, { folder }) => ({
    env: { [FOLDER_VARIABLE]: folder },
    files: Object.keys(EVENTS).map((event) => ({
      path: scriptOf(event),
      text: textOf(hooks.filter((one) => one.event === event)),
    })),
  }),
};

/** The extension, for the home. */
export const HOOKS_EXTENSION: readonly HomeFile[] = [
  {
    path: `${EXTENSION_FOLDER}/gemini-extension.json`,
    text: JSON.stringify({ name: "rootcellar", version: "1.0.0" }),
  },
  {
    path: `${EXTENSION_FOLDER}/hooks/hooks.json`,
    text: JSON.stringify({
      hooks: Object.fromEntries(
        Object.entries(EVENTS).map(([event, name]) => [name, [{
          hooks: [{
            type: "command",
            command:
              `[ -z "$${FOLDER_VARIABLE}" ] || exec /bin/sh "$${FOLDER_VARIABLE}/${
                scriptOf(event)
              }"`,
            timeout: ALL_MS,
          }],
        }]]),
      ),
    }),
  },
];

function scriptOf(event: string): string {
  return `${event}.sh`;
}

/** Runs them one after another, each with what the agent says. */
function textOf(hooks: readonly PlacedHook[]): string {
  return [
    "input=$(cat)",
    "limited() {",
    "  if command -v timeout > /dev/null; then",
    '    timeout -k 1 "$@"',
    '  else shift; "$@"; fi',
    "}",
    ...hooks.map(({ program, timeoutMs }) =>
      `printf '%s' "$input" | limited ${
        Math.ceil((timeoutMs ?? STANDARD_TIMEOUT_MS) / 1_000)
      } ${quoted(program)} || code=1`
    ),
    'exit "${code:-0}"',
    "",
  ].join("\n");
}
