/**
 * What of this machine a turn has: its folder, and how its processes are known.
 *
 * A summary of a session is a turn beside the session's own: it gets a folder
 * that goes with it, and its processes are not the session's, since each turn
 * of a session ends what still works on that.
 *
 * @module
 */
import type { LeasedTurn } from "../../fleet/turns/protocol.ts";
import { type Folders, makeAgentFolder, sessionFolder } from "../folders.ts";
import type { PreparedTree } from "../trees/tree.ts";
import type { TurnDeps } from "./deps.ts";

/** The place of a turn. */
export interface TurnPlace {
  /** What its agent keeps beside its work. */
  readonly folder: string;
  /** The session that the marker of its processes names. */
  readonly markedSession: number;
  /** Makes ready what it works in. @throws {TreeError} */
  prepare(): Promise<PreparedTree>;
  /** Removes what nobody needs after it. */
  leave(): Promise<void>;
}

const SUMMARY_NAME = "summary-";

/** The place of a turn; nothing is made yet. */
export function placeOf(
  turn: LeasedTurn,
  { folders, prepareTree }: Pick<TurnDeps, "folders" | "prepareTree">,
): TurnPlace {
  if (turn.kind !== "summary") {
    return {
      folder: sessionFolder(folders, turn.session_id),
      markedSession: turn.session_id,
      prepare: () => prepareTree(turn),
      leave: () => Promise.resolve(),
    };
  }
  const folder = `${folders.sessions}/${SUMMARY_NAME}${turn.turn_id}`;
  return {
    folder,
    markedSession: -turn.session_id, // No session's number.
    async prepare() {
      const cwd = `${folder}/tree`;
      await makeAgentFolder(folder, folders);
      await makeAgentFolder(cwd, folders);
      return { cwd, notices: [], report: () => Promise.resolve(null) };
    },
    async leave() {
      await Deno.remove(folder, { recursive: true }).catch(() => {});
    },
  };
}

/** Removes the places of summaries that a predecessor was ended in. */
export async function removeLeftSummaries(
  { sessions }: Pick<Folders, "sessions">,
): Promise<void> {
  for await (const { name } of Deno.readDir(sessions)) {
    if (!name.startsWith(SUMMARY_NAME)) continue;
    await Deno.remove(`${sessions}/${name}`, { recursive: true })
      .catch(() => {});
  }
}
