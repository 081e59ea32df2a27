/**
 * What a turn works in.
 *
 * @module
 */
import type { FailureClass, GitReport } from "../../fleet/turns/protocol.ts";

/** A tree that is ready for a turn. */
export interface PreparedTree {
  /** Where the agent works. */
  readonly cwd: string;
  /** What is to be known about it: made anew, restored, left as it was. */
  readonly notices: readonly string[];
  /** What it holds now; null where no git is run. */
  report(): Promise<GitReport | null>;
}

/** A tree that a turn must not run in. */
export class TreeError extends Error {
  /** Always `TreeError`. */
  override readonly name = "TreeError";
  /** What kind of trouble it is. */
  readonly class: Extract<
    FailureClass,
    "clone_refused" | "disk_full" | "git_missing" | "tree_broken"
  >;

  /** Takes the class, and words for people. */
  constructor(
    kind: TreeError["class"],
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.class = kind;
  }
}

/** Whether something is a tree, and not what went wrong. */
export function isTree(value: unknown): value is PreparedTree {
  return typeof value === "object" && value !== null && "cwd" in value;
}
