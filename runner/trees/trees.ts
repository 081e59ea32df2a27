/**
 * The trees of a runner's sessions.
 *
 * @module
 */
import type { LeasedTurn } from "../../fleet/turns/protocol.ts";
import { type Folders, makeAgentFolder, sessionFolder } from "../folders.ts";
import type { PreparedTree } from "./tree.ts";

/** The trees. */
export interface Trees {
  /** Makes the tree of a turn's session ready. @throws {TreeError} */
  prepare(turn: LeasedTurn): Promise<PreparedTree>;
  /** Removes a session's tree; unpushed work is saved first. */
  remove(sessionId: number): Promise<string>;
  /** Saves what a session's tree has and no remote does. */
  saveBundle(sessionId: number): Promise<string>;
  /** Removes what no session needs. */
  cleanUp(): Promise<string>;
}

/** Trees in these folders. */
export function openTrees(folders: Folders): Trees {
  return {
    async prepare({ session_id }) {
      const base = sessionFolder(folders, session_id);
      await makeAgentFolder(base, folders);
      await makeAgentFolder(`${base}/tree`, folders);
      return {
        cwd: `${base}/tree`,
        notices: [],
        report: () => Promise.resolve(null),
      };
    },
    async remove(sessionId) {
      await Deno.remove(sessionFolder(folders, sessionId), { recursive: true });
      return "Removed";
    },
    saveBundle: () => Promise.resolve("Nothing to save"),
    cleanUp: () => Promise.resolve("Nothing to clean up"),
  };
}
